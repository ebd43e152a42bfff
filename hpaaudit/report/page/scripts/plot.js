// Draws with uPlot: steps over time, in the page's colours, with shades behind and a mark at the chosen reconcile.

const AXIS_WIDTH = 48;
// To the right of each chart: half of the longest text of the axis of time, which stands below the last tick.
const ROOM_OF_TIME = 34;
const STRIP = { match: 3, skew: 9, undecidable: 9, divergent: 9 };
const COLOURS = ["paper", "ink", "quiet", "line", "soft", "hpa", "bad", "doubt", "good", "metric", "metric2", "metric3", "held"];
const colours = {};

// Reads the page's colours, which differ in light and dark.
function readColours() {
  const styles = getComputedStyle(document.documentElement);
  for (const name of COLOURS) colours[name] = styles.getPropertyValue(`--${name}`).trim();
}

// Neighbours with the same answer as runs of [from, until, answer]; those without an answer are left out.
function runs(data, answer) {
  const found = [];
  for (let index = 0; index < data.count; index++) {
    const value = answer(index);
    const last = found.at(-1);
    const until = standsUntil(index, data);
    if (last && last[2] === value && last[1] === data.times[index]) last[1] = until;
    else if (value) found.push([data.times[index], until, value]);
  }
  return found;
}

function box(u, from, until, top, height) {
  const left = Math.max(u.valToPos(from, "x", true), u.bbox.left);
  const right = Math.min(u.valToPos(until, "x", true), u.bbox.left + u.bbox.width);
  if (right >= left) u.ctx.fillRect(left, top, Math.max(right - left, devicePixelRatio), height);
}

// Boxes over the whole height, behind the lines.
function shade(u, spans, colour) {
  u.ctx.fillStyle = colour;
  for (const [from, until] of spans) box(u, from, until, u.bbox.top, u.bbox.height);
}

// A horizontal band behind the lines.
function band(u, low, high, colour) {
  const top = Math.max(u.valToPos(high, "y", true), u.bbox.top);
  const bottom = Math.min(u.valToPos(low, "y", true), u.bbox.top + u.bbox.height);
  u.ctx.fillStyle = colour;
  if (bottom > top) u.ctx.fillRect(u.bbox.left, top, u.bbox.width, bottom - top);
}

// The verdicts along the lower edge: what is not a match is higher, so that it is seen without colour too.
function strip(u, verdicts) {
  const colour = { match: colours.good, skew: colours.doubt, undecidable: colours.quiet, divergent: colours.bad };
  for (const [from, until, verdict] of verdicts) {
    const height = STRIP[verdict] * devicePixelRatio;
    u.ctx.fillStyle = colour[verdict];
    box(u, from, until, u.bbox.top + u.bbox.height - height, height);
  }
}

function vertical(u, at, colour, dash) {
  const x = Math.round(u.valToPos(at, "x", true));
  if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
  u.ctx.save();
  u.ctx.strokeStyle = colour;
  u.ctx.lineWidth = devicePixelRatio;
  u.ctx.setLineDash(dash.map((length) => length * devicePixelRatio));
  u.ctx.beginPath();
  u.ctx.moveTo(x, u.bbox.top);
  u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
  u.ctx.stroke();
  u.ctx.restore();
}

const stepped = uPlot.paths.stepped({ align: 1 });
const linear = uPlot.paths.linear();
const DENSE = 4000;

// A line of steps. Where many share a pixel it is the other kind of line, which draws only their extremes.
const steps = (u, series, first, last) => (last - first > DENSE ? linear : stepped)(u, series, first, last);

// How a line is drawn. Its colour is a name, looked up each time.
function line(colour, width, more = {}) {
  return { stroke: () => colours[colour], width, paths: steps, points: { show: false }, ...more };
}

// A chart of its own in `into`. `ticks` are the steps that its axis may have; `behind` and `above` draw besides the lines.
function plot({ into, height, xs, lines, range, ticks, hasTimes, chart, behind, above }) {
  const axis = { stroke: () => colours.quiet, font: "12px ui-sans-serif, system-ui, sans-serif",
    grid: { stroke: () => colours.line, width: 1 }, ticks: { stroke: () => colours.line, size: 4 } };
  const options = {
    width: into.clientWidth, height,
    tzDate: (seconds) => uPlot.tzDate(new Date((seconds + aheadAt(seconds, chart.data)) * 1000), "Etc/UTC"),
    padding: [8, ROOM_OF_TIME, hasTimes ? 0 : 4, 0],
    legend: { show: false },
    cursor: { sync: { key: chart.key }, y: false, points: { show: false }, drag: { x: true, y: false } },
    scales: { x: { min: chart.data.start, max: chart.data.end }, y: { range } },
    axes: [
      { ...axis, show: hasTimes, space: 80, values: (u, splits) => times(splits, chart.data), size: hasOneDay(chart.data) ? 28 : 44 },
      { ...axis, size: AXIS_WIDTH, incrs: ticks, space: 24, gap: 4 },
    ],
    series: [{}, ...lines.map(([, options]) => options)],
    hooks: {
      drawClear: [behind],
      draw: [(u) => { above?.(u); if (chart.chosen !== null) vertical(u, chart.data.times[chart.chosen], colours.ink, []); }],
      setCursor: [(u) => u.cursor.event && u.cursor.left >= 0 && chart.pointAt(u.posToVal(u.cursor.left, "x"))],
      setScale: [(u, key) => key === "x" && hasTimes && chart.scaled(u)],
    },
  };
  const made = new uPlot(options, [xs, ...lines.map(([values]) => values)], into);
  made.over.addEventListener("click", () => chart.explain(chart.pointed));
  return made;
}

// The texts of the axis of time: as few digits as tell the ticks apart.
function times(splits, data) {
  const step = splits.length > 1 ? splits[1] - splits[0] : 60;
  let day = null;
  return splits.map((seconds) => {
    const text = local(seconds, data);
    const time = step % 60 ? text.slice(11, 19) : text.slice(11, 16);
    const isNew = text.slice(0, 10) !== day && (day !== null || dayOf(splits[0], data) !== dayOf(splits.at(-1), data));
    day = text.slice(0, 10);
    return step >= 86400 ? text.slice(5, 10) : isNew ? `${time}\n${text.slice(5, 10)}` : time;
  });
}
