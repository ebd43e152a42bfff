"""Discovery: which API groups and versions the server serves, and the resource of a kind."""

from dataclasses import dataclass, field, replace

from hpaaudit.api import requests
from hpaaudit.api.workload import ScalePaths, scale_paths
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.http_answer import NOT_FOUND
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

GroupResource = tuple[str, str]
"""API group, empty for the core group, and resource."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedTarget:
    """A scale target, and the API version of its scale subresource.

    built_in   it is one of Kubernetes' own workloads
    paths      of a custom resource: where its replicas are. None if its definition cannot be read
    """

    target: TargetRef
    kind: str
    version: str
    built_in: bool
    paths: ScalePaths | None = None

    @property
    def is_watchable(self) -> bool:
        """Whether replicas and selector can be read from the object itself."""
        return self.built_in or self.paths is not None

    @property
    def group_resource(self) -> GroupResource:
        """Group and resource of its kind."""
        return self.target.group, self.target.resource

    @property
    def base(self) -> str:
        """The path of its API version."""
        return f"/apis/{self.target.group}/{self.version}" if self.target.group else f"/api/{self.version}"


@dataclass(slots=True)
class Discovery:
    """What the server serves, asked once. `refresh` asks again for what adapters and operators may change.

    answered   the server has listed its groups
    unknown    paths of versions for which the server gave no usable answer
    kinds      resources by kind, for each version;  groups  the preferred version of each group
    scales     where custom resources keep their replicas, by definition and version
    """

    client: Client
    metric_versions: dict[str, str] = field(default_factory=dict)
    answered: bool = False
    unknown: set[str] = field(default_factory=set)
    kinds: dict[str, dict[str, str] | None] = field(default_factory=dict)
    scales: dict[tuple[str, str], ScalePaths | None] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)

    async def autoscaling(self) -> str:
        """The newest served version of `autoscaling` that we know."""
        answer = await self.client.get("/apis/autoscaling", decode=GROUP)
        body = self.client.demand(answer, "get", "the API group autoscaling")
        served = {entry["version"] for entry in body["versions"]}
        return next((version for version in AUTOSCALING if version in served), "v1")

    async def refresh(self) -> None:
        """Asks again which groups there are, and forgets kinds that were not found."""
        answer = await self.client.get("/apis", decode=GROUPS)
        groups = answer.body.get("groups") if answer.good else None
        if groups is not None:  # an answer without a list says nothing
            self.answered = True
            self.groups = {group["name"]: (group.get("preferredVersion") or {}).get("version", "") for group in groups}
            self.metric_versions = {
                group["name"]: _metric_version(group)
                for group in groups
                if group["name"] in (*METRICS, requests.CUSTOM_METRICS)
            }
        self.kinds = {base: kinds for base, kinds in self.kinds.items() if kinds is not None}
        self.scales = {of: paths for of, paths in self.scales.items() if paths is not None}

    def metric_version(self, group: str) -> str:
        """The version that the controller uses; its first choice if the group is not served."""
        return self.metric_versions.get(group) or METRICS.get(group, CUSTOM[0])

    def unserved(self, hpa: Hpa) -> list[str]:
        """The metric APIs that an HPA needs and that are not served. Empty while the server did not list its groups."""
        # Which APIs are needed does not depend on the pod selector.
        needed = {request.api for request in requests.requests_of(hpa, "any") if request}
        return sorted(needed - self.metric_versions.keys()) if self.answered else []

    def path(self, request: MetricsRequest) -> str:
        """The path that the controller requests. Of resource metrics one list per namespace serves every selector."""
        if request.api == requests.RESOURCE_METRICS:
            request = replace(request, selector="")
        return requests.path_of(request, self.metric_version(request.api))

    async def resolve(self, namespace: str, ref: ObjectRef) -> ResolvedTarget | None:
        """The target of an HPA. None if the server does not know its kind."""
        group, version = requests.group_of(ref.api_version), ref.api_version.rpartition("/")[2]
        if resource := BUILT_IN.get((group, ref.kind)):
            target = TargetRef(group=group, resource=resource, namespace=namespace, name=ref.name)
            return ResolvedTarget(target=target, kind=ref.kind, version="v1", built_in=True)
        plural = (await self._kinds(base_path(ref.api_version))).get(ref.kind)
        if plural is None:
            return None
        target = TargetRef(group=group, resource=plural, namespace=namespace, name=ref.name)
        paths = await self._paths(target, version)
        return ResolvedTarget(target=target, kind=ref.kind, version=version, built_in=False, paths=paths)

    def hidden_path(self, namespace: str, ref: ObjectRef) -> str:
        """The prefix of a gap that hides a target, as narrow as it is known without asking."""
        base, group = base_path(ref.api_version), requests.group_of(ref.api_version)
        resource = BUILT_IN.get((group, ref.kind)) or (self.kinds.get(base) or {}).get(ref.kind)
        return f"{base}/namespaces/{namespace}/{resource}" if resource else f"{base}/"

    async def serves(self, base: str, resource: str) -> bool:
        """Whether a version (`/apis/group/version`) has a resource."""
        return resource in (await self._kinds(base)).values()

    async def _kinds(self, base: str) -> dict[str, str]:
        """The resources of a version by kind. Empty if the version is not served."""
        if base not in self.kinds:
            answer = await self.client.get(base, decode=RESOURCES)
            rows = answer.body.get("resources") if answer.good else None  # an answer without a list says nothing
            is_known = rows is not None or answer.status == NOT_FOUND
            (self.unknown.discard if is_known else self.unknown.add)(base)
            kinds = {row["kind"]: row["name"] for row in rows or () if "/" not in row["name"]}
            self.kinds[base] = None if rows is None else kinds
        return self.kinds[base] or {}

    async def _paths(self, target: TargetRef, version: str) -> ScalePaths | None:
        """Where the custom resources of a kind keep their replicas. None if their definition cannot be read."""
        crd = f"{target.resource}.{target.group}", version
        if crd not in self.scales:
            answer = await self.client.get(f"{CRDS}/{crd[0]}", decode=DEFINITION)
            self.scales[crd] = scale_paths(answer.body, version) if answer.good else None
        return self.scales[crd]


def base_path(api_version: str) -> str:
    """The path of an `apiVersion`."""
    return f"/apis/{api_version}" if requests.group_of(api_version) else f"/api/{api_version}"


def _metric_version(group: Group) -> str:
    """The version that the controller's clients choose: the preferred one, else the first, of those that they know."""
    served = [entry["version"] for entry in group.get("versions") or ()]
    preferred = group.get("preferredVersion")
    preferred_version = preferred["version"] if preferred else ""
    versions = CUSTOM if group["name"] == requests.CUSTOM_METRICS else (METRICS[group["name"]],)
    if preferred_version in versions:
        return preferred_version
    return next((version for version in served if version in versions), versions[0])
