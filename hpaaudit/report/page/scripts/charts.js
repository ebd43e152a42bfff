// The charts of one HPA, one above the other with one cursor: replicas, metrics, pods by bucket.

const HEIGHTS = { replicas: 264, metrics: 150, pods: 110 };
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
const FAILED = ["gate.all_metrics_invalid", "gate.metric_failed"];
const LINES_OF_METRICS = ["metric", "metric2", "metric3"];

class Charts {
  constructor(root, data, key) {
    Object.assign(this, { root, data, key, chosen: null, pointed: 0, plots: [] });
    const { columns } = data;
    this.changes = data.scales.map(([at]) => at);
    this.gaps = data.marks.filter(([kind]) => kind === "gap").map(([, from, until]) => [from, until ?? data.end]);
    this.verdicts = runs(data, (index) => columns.verdict[index]);
    this.held = runs(data, (index) => columns.raw[index] !== null && columns.stabilized[index] !== null
      && columns.raw[index] !== columns.stabilized[index]);
    this.readout = element("p", "readout");
    this.area = element("div", "area");
    this.area.tabIndex = 0;
    this.area.setAttribute("role", "application");
    this.area.setAttribute("aria-label", `Charts of ${root.dataset.hpa}. Arrow keys choose a reconcile, Enter explains it.`);
    this.area.addEventListener("keydown", (event) => this.pressed(event));
    root.append(this.readout, this.area);
    this.drawReplicas();
    this.drawMetrics();
    this.drawPods();
    root.append(element("p", "quiet help", "Click a time or a pin to have its reconcile explained. Drag to zoom in, "
      + "double-click to zoom out. With the keyboard: ← → by reconcile, Page Up and Page Down by change, + − to zoom, Enter to the "
      + "explanation. "
      + `Times are ${zoneInWords(data)}.`
      + (data.every > 1 ? ` To keep the page small it has one of ${data.every} reconciles, and each at which something changed.` : "")));
    this.panel = panelOf(this);
    this.point(data.count - 1);
    new ResizeObserver(() => this.resized()).observe(this.area);
  }

  // A heading with the key of its lines, and the chart below.
  below(title, keys) {
    const caption = element("div", "caption", element("strong", "", title));
    for (const [className, text] of keys) caption.append(element("span", "", element("i", `key ${className}`), text));
    const into = element("div", "plot");
    this.area.append(caption);
    this.pins ??= new Pins(this);
    this.area.append(into);
    return into;
  }

  drawReplicas() {
    const { data, data: { columns } } = this;
    const ends = data.absences.flatMap(([from, until]) => (until === null ? [from] : [from, until]));
    const xs = [...new Set([data.start, ...data.times, ...this.changes, ...ends, data.end])].sort((a, b) => a - b);
    const at = standing(xs, data);
    const actual = actualReplicas(xs, data);
    const replay = at.map((index) => columns.replay[index] ?? null);
    const raw = at.map((index) => columns.raw[index] ?? null);
    const low = at.map((index) => columns.min[index] ?? null);
    const high = at.map((index) => columns.max[index] ?? null);
    const bound = { auto: false, dash: [6, 4] };
    const keys = [["actual", "spec.replicas"], ["replay", "as the replay decides"], ["raw", "metrics ask for"], ["bound", "min and max"]];
    if (this.held.length) keys.push(["held", "held by memory"]);
    this.plots.push(plot({
      into: this.below("Replicas", keys), height: HEIGHTS.replicas, xs, chart: this, hasTimes: true, ticks: STEPS,
      lines: [[low, line("quiet", 1, bound)], [high, line("quiet", 1, bound)], [raw, line("metric", 1, { dash: [2, 3] })],
        [replay, line("hpa", 6, { alpha: 0.45 })], [actual, line("ink", 2)]],
      range: (u, min, max) => withBounds(min, max, [...low, ...high]),
      behind: (u) => { shade(u, this.gaps, colours.line); shade(u, this.held, colours.held); },
      above: (u) => { for (const pin of this.pins.all) vertical(u, pin.at, colours.quiet, [2, 3]); strip(u, this.verdicts); },
    }));
  }

  drawMetrics() {
    const { data } = this;
    if (!data.metrics.length) return;
    const xs = timesOfSteps(data, someEnds(data.metrics.map((_, number) => (index) => percentOfTarget(data, number, index)), data));
    const at = standing(xs, data);
    const lines = data.metrics.map((metric, number) => [
      at.map((index) => (index < 0 ? null : percentOfTarget(data, number, index))),
      line(LINES_OF_METRICS[number % LINES_OF_METRICS.length], 1.5, { dash: number >= LINES_OF_METRICS.length ? [4, 2] : [] }),
    ]);
    const keys = data.metrics.map((metric, number) => [LINES_OF_METRICS[number % LINES_OF_METRICS.length], metric.name]);
    const failed = runs(data, (index) => FAILED.includes(data.columns.reason[index])
      && data.metrics.every((metric, number) => percentOfTarget(data, number, index) === null));
    if (failed.length) keys.push(["failed", "no metric was usable"]);
    const partly = runs(data, (index) => data.metrics.length > 1 && isPartlyMeasured(data, index));
    if (partly.length) keys.push(["partly", "one was not measured"]);
    const [down, up] = data.metrics[0].tolerance.map((part) => 100 * (part ?? 0));
    this.plots.push(plot({
      into: this.below("Metrics in % of target", [...keys, ["tolerance", `target${toleranceInWords(data.metrics[0].tolerance)}`]]),
      height: HEIGHTS.metrics, xs, chart: this, lines,
      range: (u, min, max) => [0, Math.max(120, (max ?? 0) * 1.05)],
      behind: (u) => {
        shade(u, this.gaps, colours.line);
        band(u, 100 - down, 100 + up, colours.soft);
        shade(u, failed, colours.bad + "33");
        shade(u, partly, colours.doubt + "22");
      },
      above: (u) => band(u, 100, 100.01, colours.quiet),
    }));
  }

  drawPods() {
    const { data, data: { columns } } = this;
    const buckets = ["ready", "unready", "missing", "ignored"];
    const seen = buckets.filter((bucket, place) => !place || columns[bucket].some((pods) => pods));
    const xs = timesOfSteps(data, someEnds(seen.map((bucket) => (index) => columns[bucket][index]), data));
    const at = standing(xs, data);
    let below = xs.map(() => 0);
    const lines = seen.map((bucket) => {
      below = below.map((pods, place) => ((columns[bucket][at[place]] ?? null) === null ? null : (pods ?? 0) + columns[bucket][at[place]]));
      const colour = { ready: "good", unready: "doubt", missing: "bad", ignored: "quiet" }[bucket];
      return [below, line(colour, 1, { fill: () => colours[colour] + "55" })];
    });
    if (!columns.ready.some((pods) => pods !== null)) return;
    const words = { ready: "ready", unready: "not ready", missing: "without metrics", ignored: "ignored" };
    this.plots.push(plot({
      into: this.below("Pods as the controller counted them", seen.map((bucket) => [bucket, words[bucket]])),
      height: HEIGHTS.pods, xs, chart: this, lines: lines.reverse(), ticks: STEPS,
      range: (u, min, max) => [0, Math.max(max ?? 0, 1) * 1.1],
      behind: (u) => shade(u, this.gaps, colours.line),
    }));
  }

  // The cursor is at a time: the last reconcile until then is told above the charts.
  pointAt(seconds) {
    this.point(toldAt(this.data, seconds));
  }

  point(index) {
    if (index === this.pointed && this.readout.firstChild) return;
    this.pointed = index;
    const { data, data: { columns } } = this;
    const parts = [element("b", "", clock(data.times[index], data)), element("span", `verdict-${columns.verdict[index]}`, columns.verdict[index]),
      MOVES[columns.state[index]] ?? `spec ${known(columns.replicas[index])} → ${known(columns.replay[index])}`];
    data.metrics.forEach((metric, number) => parts.push(`${metric.name} ${measured(data, number, index)}`));
    for (const [bucket, word] of [["unready", "not ready"], ["missing", "without metrics"], ["ignored", "ignored"]]) {
      if (columns[bucket][index]) parts.push(`${count(columns[bucket][index], "pod")} ${word}`);
    }
    parts.push(element("code", "", columns.reason[index]));
    this.readout.replaceChildren(...parts.map((part) => element("span", "", part)));
  }

  explain(index, { focus = false } = {}) {
    this.chosen = index;
    this.point(index);
    this.panel.show(index);
    for (const made of this.plots) made.redraw(false);
    this.pins.choose(index);
    if (focus) this.panel.box.querySelector("h3").focus();
  }

  explainAt(seconds) {
    this.explain(toldAt(this.data, Math.floor(seconds)), { focus: true });
  }

  // The reconcile of the change before or after; the same one if there is none.
  changeBeside(index, step) {
    const indices = this.changes.map((at) => toldAt(this.data, Math.floor(at)));
    const from = index ?? (step > 0 ? -1 : this.data.count);
    const beside = step > 0 ? indices.find((one) => one > from) : indices.findLast((one) => one < from);
    return beside ?? Math.min(Math.max(from, 0), this.data.count - 1);
  }

  zoom(factor) {
    const { min, max } = this.plots[0].scales.x;
    const middle = this.chosen === null ? (min + max) / 2 : this.data.times[this.chosen];
    const half = Math.max(((max - min) * factor) / 2, 30);
    const from = Math.max(middle - half, this.data.start);
    const until = Math.min(middle + half, this.data.end);
    for (const made of this.plots) made.setScale("x", { min: from, max: until });
  }

  pressed(event) {
    if (event.target !== this.area || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.data.count - 1;
    const from = this.chosen ?? last;
    const go = {
      ArrowLeft: () => Math.max(from - 1, 0), ArrowRight: () => Math.min(from + 1, last), Home: () => 0, End: () => last,
      PageUp: () => this.changeBeside(this.chosen, -1), PageDown: () => this.changeBeside(this.chosen, 1),
    }[event.key];
    if (go) this.explain(go());
    else if (event.key === "Enter") this.explain(from, { focus: true });
    else if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else if (event.key === "Escape" || event.key === "0") this.zoom(Infinity);
    else return;
    event.preventDefault();
  }

  scaled(u) {
    this.pins.place(u);
  }

  resized() {
    for (const made of this.plots) made.setSize({ width: this.area.clientWidth, height: made.height });
    this.pins.place(this.plots[0]);
  }

  repainted() {
    for (const made of this.plots) made.redraw(false);
  }
}

// The last place in sorted numbers that is not above a number, -1 if all are.
function lastUntil(numbers, wanted) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// The place of the reconcile that is told of a time: the last one until then, or of several at one instant the chosen one.
function toldAt({ times, told }, seconds) {
  const last = Math.max(lastUntil(times, seconds), 0);
  return told.find((place) => times[place] === times[last]) ?? last;
}

// For each x the place of the last time until then, -1 before the first.
function stepsOver(xs, times) {
  let place = -1;
  return xs.map((x) => {
    while (place + 1 < times.length && times[place + 1] <= x) place++;
    return place;
  });
}

// A range that shows the lines, and those bounds that are near enough not to flatten them.
function withBounds(min, max, bounds) {
  if (min === null) return [0, 1];
  const reach = Math.max(max - min, 2);
  for (const value of new Set(bounds)) {
    if (value !== null && value >= min - reach && value <= max + reach) [min, max] = [Math.min(min, value), Math.max(max, value)];
  }
  const room = Math.max((max - min) * 0.12, 0.5);
  return [Math.max(min - room, min >= 0 ? -room / 2 : min), max + room / 2];
}
