"""The shapes of the columns that the kernel walks: int64 arrays, or lists where nothing is compiled.

`…_from` and `…_to` are places in another table. Rows with a `seq` hold from that fact on. Times are microseconds.
"""

from typing import Any, NamedTuple, TypeAlias

from hpaaudit.engine.behaviours.table import Rules

Ints: TypeAlias = Any
"""An array of int64 or a list of int."""

Floats: TypeAlias = Any
"""An array of float64 or a list of float."""

NONE = -1

# Whether a sample has a quantity.
MEASURED = 0
ABSENT = 1
NO_CONTAINER = 2


class Release(NamedTuple):
    """What is in force in one controller process: the behaviours of its release, and those of its flags that count."""

    rules: Rules
    downscale_stabilization_us: int
    cpu_initialization_period_us: int
    initial_readiness_delay_us: int


class Terms(NamedTuple):
    """What an HPA asks for while its target has one selector, a row for each such pair.

    alternative   the same spec with another selector, NONE at the end;  unselected   the scale has no selector
    rises_at_zero a metric can rise while there are no pods
    behavior, up_window_us, down_window_us   as of `rules.settle.Limits`
    longest_us    how long a recommendation can matter;  edge_from, edge_to   in `edges`: ages at which memory ends
    requests      how many distinct requests its metrics make
    """

    selector: Ints
    alternative: Ints
    unselected: Ints
    minimum: Ints
    maximum: Ints
    rises_at_zero: Ints
    behavior: Ints
    up_window_us: Ints
    down_window_us: Ints
    up_longest_us: Ints
    down_longest_us: Ints
    up_select: Ints
    up_from: Ints
    up_to: Ints
    down_select: Ints
    down_from: Ints
    down_to: Ints
    longest_us: Ints
    edge_from: Ints
    edge_to: Ints
    tolerance_down: Floats
    tolerance_up: Floats
    requests: Ints
    metric_from: Ints
    metric_to: Ints
    roster_from: Ints
    roster_to: Ints


class Policies(NamedTuple):
    """The scaling policies of all terms."""

    kind: Ints
    value: Ints
    period_us: Ints


class Metrics(NamedTuple):
    """The metrics of all terms.

    how       of `engine.ask`;  problem   of `told`, where it asks for NOTHING that can be computed
    reason    of `told`, which word of ScalingActive its failure is
    quantity  which of the quantities of a sample, and of a pod's requests
    request   whose answers it reads;  fallback   those that serve it before the first, NONE without
    rank      of its request among the distinct ones of its terms
    shown     which entry of currentMetrics it makes
    turn, uses   of the `uses` metrics of a pass that make one request the n-th sees the n-th answer
    source_from, source_to   where it finds samples
    """

    how: Ints
    problem: Ints
    reason: Ints
    target: Ints
    cpu: Ints
    quantity: Ints
    request: Ints
    fallback: Ints
    rank: Ints
    shown: Ints
    turn: Ints
    uses: Ints
    source_from: Ints
    source_to: Ints


class Sources(NamedTuple):
    """Where a metric finds the samples of its pods: one row per stream that answers its request.

    whole      the stream answers for a whole namespace: only selected pods count
    lookup     where in `lookups` the series of the roster stand, one for each of its pods
    stray_from, stray_to   in `strays`: series of the stream whose pods never were in the roster
    """

    stream: Ints
    whole: Ints
    lookup: Ints
    stray_from: Ints
    stray_to: Ints


class Pods(NamedTuple):
    """States of pods; a track is one name, as one selector sees it.

    judged     it has a Ready condition and a start time;  running   it is Running with Ready=True
    request, bad   one for each quantity of each state: what it requests, and whether that cannot be had
    """

    row_from: Ints
    row_to: Ints
    seq: Ints
    alive: Ints
    ignored: Ints
    pending: Ints
    judged: Ints
    ready_false: Ints
    running: Ints
    start_us: Ints
    transition_us: Ints
    request: Ints
    bad: Ints


class Series(NamedTuple):
    """Samples of one pod in one stream; `value` and `state` are one for each row of each quantity, `state` a byte."""

    row_from: Ints
    row_to: Ints
    seq: Ints
    gone: Ints
    at_us: Ints
    window_us: Ints
    value: Ints
    state: Ints


class Reads(NamedTuple):
    """Answers of the metric APIs, request by request.

    problem    NONE where it was answered;  items   of the answer;  own   the controller itself read
    per_pod, summed   the sum of all values, as an average and as a value of this release take it
    """

    row_from: Ints
    row_to: Ints
    seq: Ints
    at_us: Ints
    problem: Ints
    stream: Ints
    own: Ints
    items: Ints
    per_pod: Ints
    summed: Ints


class Scales(NamedTuple):
    """Answers of the scale of each target; `known` tells whether there is one, `readable` whether it can be used."""

    row_from: Ints
    row_to: Ints
    seq: Ints
    at_us: Ints
    known: Ints
    readable: Ints
    spec_replicas: Ints
    status_replicas: Ints
    selector: Ints
    own: Ints


class Hpas(NamedTuple):
    """States of each HPA.

    terms      the first of its terms, NONE where it is gone;  status   which one it has
    version    its resource version;  written_…   the versions that the controller's own status writes gave it
    """

    row_from: Ints
    row_to: Ints
    seq: Ints
    terms: Ints
    target: Ints
    status: Ints
    version: Ints
    written_from: Ints
    written_to: Ints
    written_seq: Ints
    written_version: Ints


class Statuses(NamedTuple):
    """What statuses say, by their number.

    scaled_us        lastScaleTime, NULL without
    scaled_to_zero   its condition says so, and this release asks it
    able, active, limited   conditions as `told`, and beyond its words as the statuses name them; NONE without
    bend             of `rules.published`: whether something bent the recommendation
    entry_from, entry_to   its currentMetrics
    """

    desired: Ints
    current: Ints
    scaled_us: Ints
    scaled_to_zero: Ints
    able: Ints
    active: Ints
    limited: Ints
    bend: Ints
    entry_from: Ints
    entry_to: Ints


class Entries(NamedTuple):
    """Entries of currentMetrics: which metric with which numbers, and these, in milli and percent, zero without."""

    shown: Ints
    value: Ints
    average: Ints
    percent: Ints


class Passes(NamedTuple):
    """The reconciles of each HPA.

    facts      how many stand before it;  earlier   as many of them as a cache that lags has seen
    published  the status that stood after it, NONE where nothing needs to be told from it
    reach_us   how much later an answer may have come that it saw
    blind_us   until when nobody looked since the pass before it, NULL where somebody did
    epoch      which controller process it was;  started   how many facts stood before that began
    written    NONE where nothing tells how its write of the scale went, else whether it was done, at `written_us`
    metric_at  where its proposals are put
    """

    row_from: Ints
    row_to: Ints
    facts: Ints
    earlier: Ints
    at_us: Ints
    published: Ints
    reach_us: Ints
    blind_us: Ints
    epoch: Ints
    started: Ints
    written: Ints
    written_us: Ints
    metric_at: Ints


class Remembered(NamedTuple):
    """The memory of each HPA between slices; each has room from `…_from` on for all that its passes may add.

    After the HPAs come as many rows for what is only tried, and again as many for what was before.

    unseen_us  what happened until then was not seen, NULL where all was
    known      whether there are recommendations, even none;  facts, epoch   of its last reconcile
    forgot     how many facts stood before it last forgot which versions it wrote
    recommended, ups, downs   how many slots are taken;  …_marked   the event is outdated
    """

    unseen_us: Ints
    known: Ints
    facts: Ints
    epoch: Ints
    forgot: Ints
    recommended_from: Ints
    recommended: Ints
    replicas: Ints
    replicas_us: Ints
    up_from: Ints
    ups: Ints
    up_change: Ints
    up_us: Ints
    up_marked: Ints
    down_from: Ints
    downs: Ints
    down_change: Ints
    down_us: Ints
    down_marked: Ints


class Made(NamedTuple):
    """What the kernel writes, a row per pass; a number that is not there is NULL.

    state      the row of the HPA that was seen, NONE where it was gone;  scale   the row of its scale
    able, active, limited   words of `told`, KEPT where the condition stays as it was
    band_lo, band_hi, evidence, missing   as in `model.audit.Pass`, words of `told` and of `rules.candidates`
    why_scaled words of `rules.settle`;  winner   index of the metric, NONE without;  asked   how many metrics
    """

    state: Ints
    terms: Ints
    scale: Ints
    raw: Ints
    stabilized: Ints
    rate_limited: Ints
    desired: Ints
    status_desired: Ints
    reason: Ints
    able: Ints
    active: Ints
    limited: Ints
    why_scaled: Ints
    winner: Ints
    asked: Ints
    band_lo: Ints
    band_hi: Ints
    evidence: Ints
    missing: Ints


class Proposed(NamedTuple):
    """What the kernel writes, a row per metric of a pass; `problem` NONE where it is valid."""

    problem: Ints
    replicas: Ints
    current: Ints
    percent: Ints
    ratio: Floats
    adjusted: Floats
    adjust: Ints
    inside: Ints
    ready: Ints
    unready: Ints
    missing: Ints
    ignored: Ints


class Cursors(NamedTuple):
    """How far the walk has come: in each HPA, scale, request, pod of a roster, series of a lookup, and stray."""

    hpa: Ints
    written: Ints
    scale: Ints
    own_scale: Ints
    read: Ints
    fallback: Ints
    pod: Ints
    sample: Ints
    stray: Ints


class View(NamedTuple):
    """Which inputs a pass saw.

    scale    the row of its scale, NONE where there is none, and since when it counts
    pods     as they stood after so many facts;  later   a bit for each request that saw the answer after the newest
    unread   a bit for each request that saw no answer;  since    how many facts the pass before knew
    """

    scale: int
    scale_us: int
    pods: int
    later: int
    unread: int
    since: int


class Tape(NamedTuple):
    """Everything that the kernel reads of one slice; `lookups` and `strays` name series, `roster` names tracks.

    quantities   how many each sample has;  period_us   of the passes that are not told
    """

    quantities: int
    period_us: int
    terms: Terms
    edges: Ints
    policies: Policies
    metrics: Metrics
    sources: Sources
    lookups: Ints
    strays: Ints
    roster: Ints
    pods: Pods
    series: Series
    reads: Reads
    scales: Scales
    hpas: Hpas
    statuses: Statuses
    entries: Entries
    passes: Passes
