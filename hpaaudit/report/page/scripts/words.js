// Words and numbers as the page shows them. They are set as text only: no string ever becomes HTML.

// How far the page's zone is ahead of UTC at a time, in seconds.
const aheadAt = (seconds, data) => (data.ahead.findLast(([from]) => from <= seconds) ?? data.ahead[0])[1];

// `2026-03-02T14:05:19` in the page's zone.
const local = (seconds, data) => new Date((seconds + aheadAt(seconds, data)) * 1000).toISOString().slice(0, 19);

const dayOf = (seconds, data) => local(seconds, data).slice(0, 10);

const hasOneDay = (data) => dayOf(data.start, data) === dayOf(data.end, data);

// `Z`, or how far ahead of UTC: `+01:00`.
function zoneAt(seconds, data) {
  const ahead = aheadAt(seconds, data);
  return ahead ? (ahead < 0 ? "-" : "+") + new Date(Math.abs(ahead) * 1000).toISOString().slice(11, 16) : "Z";
}

// The time as `--at` takes it.
function stamp(seconds, data) {
  return local(Math.floor(seconds), data) + zoneAt(Math.floor(seconds), data);
}

// The time of day, with the date where a page has several days.
function clock(seconds, data) {
  return hasOneDay(data) ? stamp(seconds, data).slice(11) : stamp(seconds, data);
}

// `UTC`, or `UTC+01:00, from 2026-03-29T03:00:00+02:00 on UTC+02:00`.
function zoneInWords(data) {
  if (data.ahead.every(([, ahead]) => !ahead)) return "UTC";
  const [first, ...later] = data.ahead.map(([from]) => [from, zoneAt(from, data).replace("Z", "+00:00")]);
  return `UTC${first[1]}` + later.map(([from, zone]) => `, from ${stamp(from, data)} on UTC${zone}`).join("");
}

const known = (value) => (value === null || value === undefined ? "?" : String(value));

const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

// `177 % of 60 %`, or a quantity as Kubernetes writes it.
function measured(data, number, index) {
  const metric = data.metrics[number];
  const value = data.columns[`value${number}`][index];
  const target = data.columns[`target${number}`][index];
  if (value === null) return "not measured";
  if (metric.type === "Utilization") return `${value} % of ${known(target)} %`;
  const about = metric.unit > 1 ? "about " : "";
  return `${about}${quantity(value * metric.unit)}${target === null ? "" : " of " + quantity(target)}`;
}

const quantity = (milli) => (milli % 1000 ? `${milli}m` : String(milli / 1000));

// A value in percent of its target; null if there is none.
function percentOfTarget(data, number, index) {
  const value = data.columns[`value${number}`][index];
  const target = data.columns[`target${number}`][index];
  return value === null || !target ? null : Math.round((1000 * value * data.metrics[number].unit) / target) / 10;
}

// True where one metric was measured and another of the spec was not.
function isPartlyMeasured(data, index) {
  const wanted = data.metrics.map((metric, number) => number).filter((number) => data.columns[`target${number}`][index] !== null);
  const unmeasured = wanted.filter((number) => data.columns[`value${number}`][index] === null);
  return unmeasured.length > 0 && unmeasured.length < wanted.length;
}

// What a tolerance allows below and above the target: one number where both are the same, none where it is not known.
function toleranceInWords([down, up]) {
  const percent = (part) => `${Math.round(part * 1000) / 10} %`;
  if (down === null && up === null) return "";
  if (down === up) return `, with a tolerance of ${percent(up)}`;
  const sides = [[down, "below"], [up, "above"]].filter(([part]) => part !== null);
  return `, with a tolerance of ${sides.map(([part, side]) => `${percent(part)} ${side}`).join(" and ")}`;
}

// An element with classes and children; a string among them is text.
function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}
