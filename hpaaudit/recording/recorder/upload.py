"""Brings a recording to an object store while it grows: each segment once it is whole, and its manifest last."""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, PermissionDeniedError
from obstore.store import from_url

from hpaaudit.errors import BadOption, RecordingError
from hpaaudit.model.note import Event, Level, Note
from hpaaudit.recording.files import layout
from hpaaudit.recording.format import manifest
from hpaaudit.recording.reading.segment import DamagedFile, file_bytes
from hpaaudit.recording.upkeep import upload_marks

SCHEMES = ("s3", "gs", "az", "abfs", "abfss")
LISTED = "s3://bucket/prefix, gs://bucket/prefix or az://container/prefix"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Seconds: between two looks for new segments, and to wait after a failure, first and at most."""

    look: float = 5
    first_wait: float = 1
    longest_wait: float = 300


USUAL = Pace()


class Elsewhere(RecordingError):
    """The place holds something else than what should be put there: it is never overwritten."""


class Uploader:
    """Puts what is sealed into a store, and goes on where it, or one before it, ended.

    failures   that happened, each of which is tried again;  failing  segments that wait after the last one failed

    `run` never ends by itself and never raises: the recording goes on whatever the store does. Credentials are the
    environment's (`AWS_…`, `GOOGLE_…`, `AZURE_…`, or those of the node or the service account). BadOption where the
    URL names no store.
    """

    def __init__(self, folder: Path, url: str, note: Callable[[str], None], pace: Pace = USUAL) -> None:
        self.folder, self.url, self.note, self.pace = folder, url.rstrip("/"), note, pace
        self.store = _store(url)
        self.failures = self.failing = 0
        self.given_up = False
        self._begun = False
        self._damaged: set[str] = set()

    async def run(self) -> None:
        """Look for new segments until cancelled."""
        wait = self.pace.first_wait
        while not self.given_up:
            if await self._all():
                wait = self.pace.first_wait
                await asyncio.sleep(self.pace.look)
            else:
                await asyncio.sleep(wait)
                wait = min(2 * wait, self.pace.longest_wait)

    async def finish(self, seconds: float) -> None:
        """Bring what is left, once the recording has ended, as long as there is time."""
        done = False
        try:
            async with asyncio.timeout(seconds):
                while not self.given_up and not done:
                    done = await self._all()
                    if not done:
                        await asyncio.sleep(self.pace.first_wait)
        except TimeoutError:
            pass
        left = len(self.waiting())
        if left or not done:
            line = f"{left} segments are not in {self.url}: they stay in {self.folder}, and go with its next recorder"
            self.note(Note(line, Event.UPLOAD_UNFINISHED, segments=left))

    def waiting(self) -> list[Path]:
        """The folders of whole segments that are not in the store yet, oldest first."""
        return upload_marks.not_uploaded(self.folder)

    async def _all(self) -> bool:
        """Bring all that waits; whether it is there now, but for what is damaged."""
        try:
            if not self._begun:
                await self._begin()
            for segment in self.waiting():
                if segment.name not in self._damaged and await self._segment(segment):
                    upload_marks.mark_uploaded(segment)
            if (end := self.folder / layout.END).exists():
                await obstore.put_async(self.store, layout.END, end.read_bytes(), use_multipart=False)
        except Elsewhere as problem:
            self.given_up, self.failing = True, len(self.waiting())
            self.note(Note(str(problem), Event.UPLOAD_REFUSED, Level.ERROR))
            return False
        except Exception as problem:  # noqa: BLE001  # whatever goes wrong here, the recording goes on
            self._failed(problem)
            return False
        if self.failing and not self._damaged:
            self.note(Note(f"{self.url} takes segments again", Event.UPLOAD_RECOVERED, Level.INFO))
        self.failing = len(self._damaged)
        return True

    def _failed(self, problem: Exception) -> None:
        """Say it once, and count it every time."""
        if not self.failing:
            line = f"cannot upload to {self.url}, which is tried again: {_reason(problem)}"
            self.note(Note(line, Event.UPLOAD_FAILED))
        self.failures += 1
        self.failing = max(1, len(self.waiting()))

    async def _begin(self) -> None:
        """Say which recording it is; one that goes on has not ended, whatever was said before.

        Where nothing may be deleted, the old end stays until the new one replaces it.
        """
        await self._put(layout.RECORDING, (self.folder / layout.RECORDING).read_bytes())
        if not (self.folder / layout.END).exists():
            with suppress(FileNotFoundError, PermissionDeniedError):
                await obstore.delete_async(self.store, layout.END)
        self._begun = True

    async def _segment(self, folder: Path) -> bool:
        """The files of a segment, and last its manifest: who reads the store sees whole segments only.

        False where it is not what was written: then it is left where it is.
        """
        place, path = f"{layout.SEGMENTS}/{folder.name}", folder / layout.MANIFEST
        try:
            document = path.read_bytes()
            segment = manifest.segment_from_body(manifest.load_document(path))
            for file in segment.files:
                data = await asyncio.to_thread(file_bytes, self.folder, segment, file)
                await self._put(f"{place}/{file.name}", data)
        except (DamagedFile, ValueError, KeyError) as problem:
            if isinstance(problem, DamagedFile):
                problem.require_damage()
            if folder in self.waiting():  # else it was removed meanwhile, for its age
                self._damaged.add(folder.name)
                line = f"segment {folder.name} is damaged and not uploaded: {problem}"
                self.note(Note(line, Event.SEGMENT_DAMAGED, Level.ERROR, segment=int(folder.name)))
            return False
        await self._put(f"{place}/{layout.MANIFEST}", document)
        return True

    async def _put(self, name: str, data: bytes) -> None:
        """Create an object; one that is there already must be the same."""
        try:
            # In one request, for only that is refused where the object is there.
            await obstore.put_async(self.store, name, data, mode="create", use_multipart=False)
        except AlreadyExistsError:
            answer = await obstore.get_async(self.store, name)
            if bytes(await answer.bytes_async()) != data:
                raise Elsewhere(
                    f"{self.url}/{name} is there already and differs: nothing more is uploaded; name another prefix"
                ) from None


def _store(url: str) -> "obstore.store.ObjectStore":
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES or not parts.netloc or parts.query or parts.fragment:
        raise BadOption(f"{parts.scheme or 'this'} names no object store: give {LISTED}")
    if "@" in parts.netloc and parts.scheme in ("s3", "gs", "az"):
        raise BadOption("the URL of the object store holds a user or a password: put them into the environment")
    try:
        # No client options: those of the environment, a proxy or plain HTTP, would be forgotten.
        return from_url(url, retry_config={"max_retries": 2})
    except (BaseError, ValueError, TypeError) as problem:
        raise BadOption(f"cannot use {url}: {_reason(problem)}") from None


def _reason(problem: Exception) -> str:
    """Its first line; a query may hold a signature."""
    text = str(problem).split("\n", 1)[0].strip() or type(problem).__name__
    return re.sub(r"\?\S+", "?…", text)
