// The panel below the charts: one reconcile explained, and buttons to the ones before and after.

function panelOf(chart) {
  const { data, root } = chart;
  const box = element("section", "reconcile");
  const title = element("h3", "", "Choose a reconcile");
  const body = element("div", "");
  const step = (text, label, go) => {
    const button = element("button", "", text);
    button.type = "button";
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => chart.explain(go(chart.chosen)));
    return button;
  };
  const last = data.count - 1;
  const buttons = element(
    "div", "buttons",
    step("⇤ change", "Explain the change before", (index) => chart.changeBeside(index, -1)),
    step("←", "Explain the reconcile before", (index) => Math.max(index - 1, 0)),
    step("→", "Explain the next reconcile", (index) => Math.min(index + 1, last)),
    step("change ⇥", "Explain the next change", (index) => chart.changeBeside(index, 1)),
  );
  title.tabIndex = -1;
  box.append(element("div", "head", title, buttons), body);
  body.setAttribute("aria-live", "polite");
  box.setAttribute("aria-label", "One reconcile explained");
  root.append(box);
  return {
    box,
    show(index) {
      const rows = explanation(data, index) ?? told(data, index, root.dataset);
      title.textContent = rows[0][1];
      body.replaceChildren(...rendered(rows.slice(1)));
      box.dataset.verdict = data.columns.verdict[index];
    },
  };
}

// Headings, sentences as paragraphs, labelled rows as lists; a row without a label goes on with the one above.
function rendered(rows) {
  const shown = [];
  let list = null;
  for (const [label, text] of rows) {
    if (label === "#") {
      shown.push(element("h4", "kind", text));
      list = null;
    } else if (!label && !list) {
      shown.push(element("p", "", text));
    } else {
      if (!list) shown.push(list = element("dl", "chain"));
      if (label) list.append(element("dt", "", label));
      list.append(element("dd", text.includes("<- ") ? "binding" : "", text.replace(/ +<- (.*)$/, "  ← $1")));
    }
  }
  return shown;
}

// A reconcile that did not take place, or whose inputs were not recorded, decided nothing that is known.
const MOVES = { not_run: "did not take place", unknown: "not known" };
const PUBLISHED = { not_run: "none", no_number: "no number" };
const BEFORE_REASON = { not_run: "A reconcile then would have said: ", unknown: "From what was recorded alone: " };

// What the columns say of a reconcile whose whole explanation the page does not carry.
function told(data, index, { hpa, file }) {
  const column = (name) => data.columns[name][index];
  const replay = column("replay");
  const spec = column("replicas");
  const state = column("state");
  const move = MOVES[state] ?? (replay === null ? "no decision" : replay === spec ? `kept ${spec}` : `${known(spec)} -> ${replay}`);
  const published = PUBLISHED[state] ?? known(column("decided"));
  const reason = column("reason");
  const rows = [
    ["", `${hpa} at ${clock(data.times[index], data)}: ${move}. Replay ${state === "unknown" ? "?" : known(replay)}, `
      + `controller ${published}, replicas then ${known(column("actual"))}: ${column("verdict")}.`],
    ["", `${BEFORE_REASON[state] ?? ""}${reason}: ${data.meaning[reason] ?? "no other reason"}.`],
    ["input", `spec ${known(spec)}, min ${known(column("min"))}, max ${known(column("max"))}; `
      + (state === "not_run" ? "from what was recorded then" : column("evidence"))],
  ];
  data.metrics.forEach((metric, number) => rows.push([
    "measure", `${metric.name} ${measured(data, number, index)}`,
  ]));
  const pods = ["ready", "unready", "missing", "ignored"].filter((bucket) => column(bucket) !== null);
  if (pods.length) rows.push(["group", pods.map((bucket) => `${column(bucket)} ${bucket}`).join(", ")]);
  rows.push(["number", `metrics ask for ${known(column("raw"))}, memory makes it ${known(column("stabilized"))}, `
    + `limits make it ${known(replay)}`]);
  rows.push(["step by step", `hpaaudit explain ${file} ${hpa} --at ${stamp(data.times[index], data)}`]);
  return rows;
}
