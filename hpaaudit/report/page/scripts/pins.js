// The numbered pins above the charts: buttons at the times of changes, as the table numbers them, and of other events.

const PIN = 22;
const LANES = 3;

class Pins {
  constructor(chart) {
    this.chart = chart;
    this.strip = element("div", "pins");
    chart.area.append(this.strip);
    this.all = chart.root.closest(".hpa").querySelectorAll("[data-at]").values().toArray().map((source) => this.pin(source));
  }

  // A button for a numbered row of the table; the number in the row explains the same reconcile.
  pin(source) {
    const at = Number(source.dataset.at);
    const button = element("button", `pin ${source.dataset.kind}`, source.textContent);
    button.type = "button";
    button.title = source.dataset.title;
    button.setAttribute("aria-label", `${source.textContent}: ${source.dataset.title}`);
    button.addEventListener("click", () => this.chart.explainAt(at));
    source.addEventListener("click", (event) => {
      event.preventDefault();
      this.chart.explainAt(at);
    });
    this.strip.append(button);
    return { at, button };
  }

  // Puts every pin above its time; those too near to each other go into the next lane.
  place(u) {
    const ends = new Array(LANES).fill(-Infinity);
    let deepest = 0;
    for (const { at, button } of this.all.toSorted((one, other) => one.at - other.at)) {
      const x = u.valToPos(at, "x") + AXIS_WIDTH;
      button.hidden = x < AXIS_WIDTH - 1 || x > u.width - ROOM_OF_TIME + 1;
      if (button.hidden) continue;
      const free = ends.findIndex((end) => x - PIN / 2 >= end);
      const lane = free < 0 ? LANES - 1 : free;
      ends[lane] = x + PIN / 2 + 2;
      deepest = Math.max(deepest, lane);
      button.style.left = `${x - PIN / 2}px`;
      button.style.bottom = `${lane * (PIN + 2)}px`;
    }
    this.strip.style.height = `${(deepest + 1) * (PIN + 2)}px`;
  }

  choose(index) {
    const { times, end } = this.chart.data;
    const until = times[index + 1] ?? end + 1;
    for (const { at, button } of this.all) button.classList.toggle("chosen", Math.floor(at) >= times[index] && Math.floor(at) < until);
  }
}
