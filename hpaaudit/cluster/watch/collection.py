"""Which objects a reflector follows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from hpaaudit.cluster.client.telemetry import kind_of
from hpaaudit.cluster.decoding.decoders import WHOLE, KindDecoder


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """A path of the API with a query (selectors), and how its objects are decoded."""

    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    decoder: KindDecoder = WHOLE

    @property
    def prefix(self) -> str:
        """The name of this stream in a gap: path and query."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path

    @property
    def resource(self) -> str:
        """The resource as kubectl writes it: `deployments.apps`."""
        return kind_of(self.path)[0]

    def request(self, **more: str) -> str:
        """The path of a request for this collection, with more parameters."""
        return f"{self.path}?{urlencode({**self.query, **more})}"
