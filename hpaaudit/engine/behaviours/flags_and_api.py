"""What else changed between releases: the flags that steer decisions, and the API of the HPA."""

from hpaaudit.engine.behaviours.table import Behaviour
from hpaaudit.model.history import KnownBy

FLAGS = (
    Behaviour(
        name="horizontal-pod-autoscaler-sync-period=30s",
        since=("1.1",),
        until="1.12",
        reference="1.1 source; #68021",
        description="an HPA is reconciled every 30 s by default; since 1.12 every 15 s",
    ),
    Behaviour(
        name="horizontal-pod-autoscaler-use-rest-clients",
        since=("1.6",),
        until="1.22",
        reference="#53205; 1.21 source",
        known_by=KnownBy.READ,
        description="chooses between the metrics APIs and Heapster; from 1.12 on a replay takes what either answered",
    ),
    Behaviour(
        name="horizontal-pod-autoscaler-upscale-delay",
        since=("1.7",),
        until="1.12",
        reference="#42101, #66615",
        description="sets the forbidden window before a rise, 3 min by default; 1.12 to 1.30 ignore it",
    ),
    Behaviour(
        name="horizontal-pod-autoscaler-downscale-delay",
        since=("1.7",),
        until="1.12",
        reference="#42101, #68122",
        description="sets the forbidden window before a fall, 5 min by default; 1.12 to 1.30 ignore it",
    ),
    Behaviour(
        name="horizontal-pod-autoscaler-tolerance",
        since=("1.9",),
        reference="1.9 source",
        description="sets the tolerance; before, it is always 0.1",
    ),
    Behaviour(
        name="horizontal-pod-autoscaler-downscale-stabilization",
        since=("1.12",),
        reference="#68122",
        description="sets how long a higher recommendation holds a fall back, 5 min by default",
    ),
    Behaviour(
        name="horizontal-pod-autoscaler-cpu-initialization-period",
        since=("1.12",),
        reference="#68068",
        description="sets how long after a pod's start its cpu samples may be set aside, 5 min by default",
    ),
    Behaviour(
        name="horizontal-pod-autoscaler-initial-readiness-delay",
        since=("1.12",),
        reference="#68068",
        description="sets how long after a pod's start an unready pod counts as never ready, 30 s by default",
    ),
)

API = (
    Behaviour(
        name="extensions/v1beta1",
        since=("1.1",),
        until="1.6",
        reference="1.5 and 1.6 source",
        known_by=KnownBy.READ,
        description="the first API of the HPA: a cpu utilization only",
    ),
    Behaviour(
        name="autoscaling/v1",
        since=("1.2",),
        reference="1.2 source",
        known_by=KnownBy.READ,
        description="a cpu utilization only; annotations hold metrics (1.6+), conditions (1.7+), behavior (1.18+)",
    ),
    Behaviour(
        name="autoscaling/v2alpha1",
        since=("1.6",),
        until="1.8",
        reference="#36033; 1.8 source",
        known_by=KnownBy.READ,
        description="metrics of several types",
    ),
    Behaviour(
        name="autoscaling/v2beta1",
        since=("1.8",),
        until="1.25",
        reference="1.8 source; the deprecation guide",
        known_by=KnownBy.READ,
        description="metrics of several types; behavior since 1.18 is an annotation",
    ),
    Behaviour(
        name="autoscaling/v2beta2",
        since=("1.12",),
        until="1.26",
        reference="#64097; the deprecation guide",
        known_by=KnownBy.READ,
        description="metrics with selectors, and behavior since 1.18",
    ),
    Behaviour(
        name="autoscaling/v2",
        since=("1.23",),
        reference="#102534",
        known_by=KnownBy.READ,
        description="the stable API, in the shape of v2beta2",
    ),
    Behaviour(
        name="spec.behavior",
        since=("1.18",),
        reference="#74525, KEP-853",
        description="each direction has stabilization window and policies of its own",
    ),
    Behaviour(
        name="spec.behavior.*.tolerance",
        since=("1.33",),
        reference="KEP-4951, #130797",
        description="each direction may have its own tolerance, in autoscaling/v2 only",
    ),
)
