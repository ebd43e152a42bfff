"""Reads the version of the API server and how far its clock is from ours."""

from collections.abc import Callable
from dataclasses import dataclass, field

from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.clock import Offset
from hpaaudit.cluster.decoding.decoders import VERSION
from hpaaudit.model.facts import Fact, VersionRead


@dataclass(slots=True)
class ServerVersion:
    """The server's version, empty until it is known, and its clock."""

    client: Client
    sink: Callable[[Fact], None]
    offset: Offset = field(default_factory=Offset)
    version: str = ""

    async def read(self) -> None:
        """Reads the version, and takes the clock from the answer."""
        answer = await self.client.get("/version", decode=VERSION)
        if answer.good:
            self.version = answer.body.get("gitVersion") or ""
            self.sink(
                VersionRead(
                    at_us=answer.at_us,
                    version=self.version,
                    clock_offset_us=self.offset.read(answer.date, answer.sent_us, answer.at_us),
                    round_trip_us=answer.took_us,
                )
            )
