// When there was no HPA of this name, or no target of it: no line is drawn there, because nothing was read or decided.

const MOMENT = 0.001;

// The reconcile that stands at each x, -1 where there is none: an HPA that is gone leaves none behind.
function standing(xs, data) {
  const gone = data.absences.filter(([, , isTarget]) => !isTarget);
  return stepsOver(xs, data.times).map((index, place) => {
    const isOver = index >= 0 && gone.some(([at]) => data.times[index] <= at && at <= xs[place]);
    return isOver ? -1 : index;
  });
}

// Until when a reconcile stands: until the next one, or until its HPA was gone.
function standsUntil(index, data) {
  const next = index + 1 < data.count ? data.times[index + 1] : data.end;
  const gone = data.absences.filter(([at, , isTarget]) => !isTarget && data.times[index] <= at && at < next);
  return Math.min(next, ...gone.map(([at]) => at));
}

// The times of reconciles, and those at which an HPA was gone. Where a line ends with a reconcile, also the moment before
// the next one: what that reconcile read stands until then.
function timesOfSteps(data, ends = () => false) {
  const gone = data.absences.filter(([, , isTarget]) => !isTarget).map(([at]) => at);
  const last = data.times.flatMap((_, index) => (ends(index) ? [standsUntil(index, data) - MOMENT] : []));
  return [...new Set([...data.times, ...gone, ...last])].sort((a, b) => a - b);
}

// Whether some of the lines has a number at a reconcile and none after it.
function someEnds(lines, data) {
  const isLast = (index) => index + 1 === data.count || standsUntil(index, data) < data.times[index + 1];
  return (index) => lines.some((value) => value(index) !== null && (isLast(index) || value(index + 1) === null));
}

// `spec.replicas` at each x: what it was changed to, before that what the first reconcile read, null while it is unknown.
function actualReplicas(xs, data) {
  const { scales, absences, columns: { replicas } } = data;
  const firstGone = Math.min(data.end, ...absences.map(([at]) => at));
  const before = scales.length && scales[0][0] <= firstGone ? scales[0][1] : replicas.find((pods) => pods !== null) ?? null;
  const readFrom = (at) => replicas.find((pods, index) => data.times[index] >= Math.floor(at) && pods !== null) ?? null;
  return stepsOver(xs, scales.map(([at]) => at)).map((place, index) => {
    const x = xs[index];
    if (absences.some(([at, until]) => at <= x && (until === null || x < until))) return null;
    const again = Math.max(...absences.map(([, until]) => until ?? Infinity).filter((until) => until <= x), -Infinity);
    if (again > (place >= 0 ? scales[place][0] : -Infinity)) return scales[place + 1]?.[1] ?? readFrom(again);
    return place >= 0 ? scales[place][2] : x >= data.times[0] ? before : null;
  });
}
