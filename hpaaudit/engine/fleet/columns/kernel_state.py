"""What the kernel changes and writes: memory, cursors, decisions and proposals; and one run as a whole."""

from typing import NamedTuple

from hpaaudit.engine.fleet.columns.batch import Floats, InputBatch, Ints, Settings


class MemorySlots(NamedTuple):
    """What the controller process remembers of each HPA, in slots.

    The slots of an HPA begin at `…_from`; there are enough for all that its reconciles may add. After a row for each
    HPA comes one for each that holds a candidate's memory, and one that keeps what was before the reconcile.

    unseen_us      what happened until then was not seen, NULL where everything was
    has_recommendations   there is a list of recommendations, even an empty one
    facts, epoch   how many facts came before its last reconcile, and the process of it
    versions_from  fact from which on the versions count that the controller wrote
    cached_seq     the state of the HPA whose status the controller replaced in its cache, NONE without one (1.2 to 1.5)
    cached_desired, cached_scaled_us   desiredReplicas and lastScaleTime there
    recommendations, ups, downs   how many slots are taken: of recommendations, and of scale events up and down
    …_outdated     the scale event is marked as outdated
    """

    unseen_us: Ints
    has_recommendations: Ints
    facts: Ints
    epoch: Ints
    versions_from: Ints
    cached_seq: Ints
    cached_desired: Ints
    cached_scaled_us: Ints
    recommendation_from: Ints
    recommendations: Ints
    recommended: Ints
    recommended_us: Ints
    up_from: Ints
    ups: Ints
    up_change: Ints
    up_us: Ints
    up_outdated: Ints
    down_from: Ints
    downs: Ints
    down_change: Ints
    down_us: Ints
    down_outdated: Ints


class Decisions(NamedTuple):
    """What was decided, a row for each reconcile; NULL means no number.

    hpa_state      row of the HPA's state, NONE where the HPA was gone
    spec, scale    rows of the resolved spec and of the scale
    able, active, limited   codes of what it set the conditions to, KEPT where it left one as it was
    band_lo, band_hi, evidence, missing_input   as in `model.audit`, the last two as codes
    scale_reason   code of `rules.normalize`;  winner   index of the winning metric, NONE without one
    metrics        how many metrics were computed;  pod_lists   how many lists of pods they read (to 1.11)
    own_answers    how many answers of Heapster they read (to 1.5)
    is_other_answer   one of these answers is not of the kind that this release asks for: what it says is not in columns
    """

    hpa_state: Ints
    spec: Ints
    scale: Ints
    raw_desired: Ints
    stabilized: Ints
    rate_limited: Ints
    unheld: Ints
    desired: Ints
    status_desired: Ints
    reason: Ints
    able: Ints
    active: Ints
    limited: Ints
    scale_reason: Ints
    winner: Ints
    metrics: Ints
    pod_lists: Ints
    own_answers: Ints
    is_other_answer: Ints
    band_lo: Ints
    band_hi: Ints
    evidence: Ints
    missing_input: Ints


class Proposals(NamedTuple):
    """The proposal of each metric of a reconcile; `problem` is NONE where the metric is valid."""

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
    """The newest row that was reached: of each HPA, scale, request, selected pod and series.

    Reconciles are decided in the order of time, so that each search goes on where the one before it stopped.
    """

    hpa: Ints
    written: Ints
    scale: Ints
    own_scale: Ints
    read: Ints
    fallback: Ints
    pod: Ints
    sample: Ints
    unlisted: Ints


class Run(NamedTuple):
    """Everything that one run of the kernel reads and writes."""

    batch: InputBatch
    settings: Settings
    memory: MemorySlots
    cursors: Cursors
    decisions: Decisions
    proposals: Proposals


class ReadInputs(NamedTuple):
    """Which inputs a reconcile read, or may have read.

    scale         row of its scale, NONE without one;  scale_us   when the scale was read
    pod_facts     the pods are as they were after so many facts
    next_answers  a bit for each request that read the answer after the newest
    failed_reads  a bit for each request whose read failed
    since         how many facts the previous reconcile of the HPA knew
    own_since, list_from, list_to, answer_from, answer_to   as in `Reconciles`, if the controller itself read this
                  scale: else there are none
    """

    scale: int
    scale_us: int
    pod_facts: int
    next_answers: int
    failed_reads: int
    since: int
    own_since: int
    list_from: int
    list_to: int
    answer_from: int
    answer_to: int
