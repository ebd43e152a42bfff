// Words and numbers as the page shows them. They are set as text only: no string ever becomes HTML.

const dayOf = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);

// The time of day, with the date where a page has several days.
function clock(seconds, data) {
  const text = new Date(Math.floor(seconds) * 1000).toISOString().slice(0, 19) + "Z";
  return dayOf(data.start) === dayOf(data.end) ? text.slice(11) : text;
}

// The time as `--at` takes it.
const stamp = (seconds) => new Date(Math.floor(seconds) * 1000).toISOString().slice(0, 19) + "Z";

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
