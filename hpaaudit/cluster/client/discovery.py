"""Finds out what the API server serves: versions of groups, and the resource of a kind."""

from dataclasses import dataclass, field, replace

from hpaaudit.api import requests
from hpaaudit.api.workload import ScalePaths, scale_paths
from hpaaudit.cluster.client.client import NOT_FOUND, Client
from hpaaudit.cluster.decoding.decoders import DEFINITION, GROUP, GROUPS, RESOURCES
from hpaaudit.cluster.decoding.kinds import Group
from hpaaudit.model.facts import TargetRef
from hpaaudit.model.hpa import Hpa, ObjectRef
from hpaaudit.model.metrics import MetricsRequest

AUTOSCALING = ("v2", "v2beta2", "v2beta1", "v1")
CUSTOM = ("v1beta2", "v1beta1")
METRICS = {requests.RESOURCE_METRICS: "v1beta1", requests.EXTERNAL_METRICS: "v1beta1"}
BUILT_IN = {
    ("apps", "Deployment"): "deployments",
    ("apps", "StatefulSet"): "statefulsets",
    ("apps", "ReplicaSet"): "replicasets",
    ("", "ReplicationController"): "replicationcontrollers",
}

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

Place = tuple[str, str]
"""Group and resource."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A scale target, and the version to ask for its scale.

    built_in   it is one of Kubernetes' own workloads
    paths      of a custom resource: where it keeps its scale, None where nobody says
    """

    target: TargetRef
    kind: str
    version: str
    built_in: bool
    paths: ScalePaths | None = None

    @property
    def watchable(self) -> bool:
        """Whether its scale can be read from the object itself."""
        return self.built_in or self.paths is not None

    @property
    def place(self) -> Place:
        """Where its kind is served."""
        return self.target.group, self.target.resource

    @property
    def base(self) -> str:
        """The path of the API that serves it."""
        return f"/apis/{self.target.group}/{self.version}" if self.target.group else f"/api/{self.version}"


@dataclass(slots=True)
class Discovery:
    """What is served, asked once; `refresh` asks again for what adapters may change.

    unknown  versions of which the server did not say whether it serves them
    kinds    of a version, by kind its resource;  scales  by CRD and version;  groups  their preferred versions
    """

    client: Client
    metric_versions: dict[str, str] = field(default_factory=dict)
    answered: bool = False
    unknown: set[str] = field(default_factory=set)
    kinds: dict[str, dict[str, str] | None] = field(default_factory=dict)
    scales: dict[tuple[str, str], ScalePaths | None] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)

    async def autoscaling(self) -> str:
        """The newest version in which HPAs are served."""
        answer = await self.client.get("/apis/autoscaling", decode=GROUP)
        body = self.client.demand(answer, "get", "the API group autoscaling")
        served = {entry["version"] for entry in body["versions"]}
        return next((version for version in AUTOSCALING if version in served), "v1")

    async def refresh(self) -> None:
        """Ask which metric APIs are there, and forget kinds that were not found."""
        answer = await self.client.get("/apis", decode=GROUPS)
        if answer.good:
            self.answered = True
            groups = answer.body.get("groups") or ()
            self.groups = {group["name"]: (group.get("preferredVersion") or {}).get("version", "") for group in groups}
            self.metric_versions = {
                group["name"]: _metric_version(group)
                for group in groups
                if group["name"] in (*METRICS, requests.CUSTOM_METRICS)
            }
        self.kinds = {base: kinds for base, kinds in self.kinds.items() if kinds is not None}
        self.scales = {of: paths for of, paths in self.scales.items() if paths is not None}

    def metric_version(self, group: str) -> str:
        """The version that the controller asks for; its first choice where the group is not served."""
        return self.metric_versions.get(group) or METRICS.get(group, CUSTOM[0])

    def unserved(self, hpa: Hpa) -> list[str]:
        """The metric APIs that an HPA needs and nobody serves; none where the server did not say what it serves."""
        # Any selector of pods will do to tell.
        needed = {request.api for request in requests.requests_of(hpa, "any") if request}
        return sorted(needed - self.metric_versions.keys()) if self.answered else []

    def path(self, request: MetricsRequest) -> str:
        """The controller's own path; of resource metrics one list serves every selector of its namespace."""
        if request.api == requests.RESOURCE_METRICS:
            request = replace(request, selector="")
        return requests.path_of(request, self.metric_version(request.api))

    async def resolve(self, namespace: str, ref: ObjectRef) -> Resolved | None:
        """Whose scale an HPA sets; None where the server knows no such kind."""
        group, version = requests.group_of(ref.api_version), ref.api_version.rpartition("/")[2]
        if resource := BUILT_IN.get((group, ref.kind)):
            target = TargetRef(group=group, resource=resource, namespace=namespace, name=ref.name)
            return Resolved(target=target, kind=ref.kind, version="v1", built_in=True)
        plural = (await self._kinds(base_path(ref.api_version))).get(ref.kind)
        if plural is None:
            return None
        target = TargetRef(group=group, resource=plural, namespace=namespace, name=ref.name)
        paths = await self._paths(target, version)
        return Resolved(target=target, kind=ref.kind, version=version, built_in=False, paths=paths)

    async def serves(self, base: str, resource: str) -> bool:
        """Whether a version (`/apis/group/version`) has a resource."""
        return resource in (await self._kinds(base)).values()

    async def _kinds(self, base: str) -> dict[str, str]:
        """By kind the resources of a version; none where it is not served."""
        if base not in self.kinds:
            answer = await self.client.get(base, decode=RESOURCES)
            rows = answer.body.get("resources") or () if answer.good else None
            (self.unknown.discard if answer.good or answer.status == NOT_FOUND else self.unknown.add)(base)
            self.kinds[base] = None if rows is None else {r["kind"]: r["name"] for r in rows if "/" not in r["name"]}
        return self.kinds[base] or {}

    async def _paths(self, target: TargetRef, version: str) -> ScalePaths | None:
        """Where the custom resources of a kind keep their scale; None where their definition may not be read."""
        crd = f"{target.resource}.{target.group}", version
        if crd not in self.scales:
            answer = await self.client.get(f"{CRDS}/{crd[0]}", decode=DEFINITION)
            self.scales[crd] = scale_paths(answer.body, version) if answer.good else None
        return self.scales[crd]


def base_path(api_version: str) -> str:
    """Where an `apiVersion` is served."""
    return f"/apis/{api_version}" if requests.group_of(api_version) else f"/api/{api_version}"


def _metric_version(group: Group) -> str:
    """As the controller's clients choose: the preferred version if they speak it, else the first that they do."""
    served = [entry["version"] for entry in group.get("versions") or ()]
    preferred = group.get("preferredVersion")
    wanted = preferred["version"] if preferred else ""
    known = CUSTOM if group["name"] == requests.CUSTOM_METRICS else (METRICS[group["name"]],)
    if wanted in known:
        return wanted
    return next((version for version in served if version in known), known[0])
