"""Uploads a recording to an object store while it grows: each sealed segment, its manifest last."""

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
from hpaaudit.model.counted import counted
from hpaaudit.model.note import Event, Level, Note
from hpaaudit.recording.files import layout
from hpaaudit.recording.format import manifest
from hpaaudit.recording.reading.damaged_file import DamagedFile
from hpaaudit.recording.reading.segment import file_bytes
from hpaaudit.recording.upkeep import upload_marks

SCHEMES = ("s3", "gs", "az", "abfs", "abfss")
LISTED = "s3://bucket/prefix, gs://bucket/prefix or az://container/prefix"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Seconds between two polls for new segments, and to wait after a failure: the first time, and at most."""

    poll: float = 5
    first_wait: float = 1
    longest_wait: float = 300


USUAL = Pace()


class ObjectDiffers(RecordingError):
    """The store has another object of this name. It is never overwritten."""


class Uploader:
    """Uploads sealed segments, from where the last uploader of this recording stopped.

    failures   number of failed tries
    failing    number of segments that are not uploaded since the last failure

    `run` never ends by itself and never raises: the recording continues whatever the store does. The credentials are
    those of the environment (`AWS_…`, `GOOGLE_…`, `AZURE_…`), the node or the service account. Raises `BadOption` if
    the URL names no store.
    """

    def __init__(self, folder: Path, url: str, note: Callable[[str], None], pace: Pace = USUAL) -> None:
        self.folder, self.url, self.note, self.pace = folder, url.rstrip("/"), note, pace
        self.store = _store(url)
        self.failures = self.failing = 0
        self.given_up = False
        self._begun = False
        self._damaged: set[str] = set()

    async def run(self) -> None:
        """Uploads new segments until cancelled."""
        wait = self.pace.first_wait
        while not self.given_up:
            if await self._all():
                wait = self.pace.first_wait
                await asyncio.sleep(self.pace.poll)
            else:
                await asyncio.sleep(wait)
                wait = min(2 * wait, self.pace.longest_wait)

    async def finish(self, seconds: float) -> None:
        """Uploads what is left after the recording ended, for some seconds at most."""
        is_complete = False
        try:
            async with asyncio.timeout(seconds):
                while not self.given_up and not is_complete:
                    is_complete = await self._all()
                    if not is_complete:
                        await asyncio.sleep(self.pace.first_wait)
        except TimeoutError:
            pass
        left = len(self.waiting())
        if left or not is_complete:
            line = (
                f"{self.url} lacks {counted(left, 'segment')} of {self.folder}: "
                "the next recorder of this folder uploads what is missing"
            )
            self.note(Note(line, Event.UPLOAD_UNFINISHED, segments=left))

    def waiting(self) -> list[Path]:
        """The folders of sealed segments that are not in the store yet, oldest first."""
        return upload_marks.not_uploaded(self.folder)

    async def _all(self) -> bool:
        """Uploads all waiting segments. True if the store has them now, except damaged ones."""
        try:
            if not self._begun:
                await self._begin()
            for segment in self.waiting():
                if segment.name not in self._damaged and await self._segment(segment):
                    upload_marks.mark_uploaded(segment)
            if (end := self.folder / layout.END).exists():
                await obstore.put_async(self.store, layout.END, end.read_bytes(), use_multipart=False)
        except ObjectDiffers as problem:
            self.given_up, self.failing = True, len(self.waiting())
            self.note(Note(str(problem), Event.UPLOAD_REFUSED, Level.ERROR))
            return False
        except Exception as problem:  # noqa: BLE001  # whatever goes wrong here, the recording continues
            self._failed(problem)
            return False
        if self.failing and not self._damaged:
            self.note(Note(f"{self.url} takes segments again", Event.UPLOAD_RECOVERED, Level.INFO))
        self.failing = len(self._damaged)
        return True

    def _failed(self, problem: Exception) -> None:
        """Reports a failure once, and counts each."""
        if not self.failing:
            line = f"cannot upload to {self.url}, which is tried again: {_reason(problem)}"
            self.note(Note(line, Event.UPLOAD_FAILED))
        self.failures += 1
        self.failing = max(1, len(self.waiting()))

    async def _begin(self) -> None:
        """Uploads `recording.json`, and deletes the `end.json` of a recording that continues.

        If the credentials may not delete, the old `end.json` stays until the new one replaces it.
        """
        await self._put(layout.RECORDING, (self.folder / layout.RECORDING).read_bytes())
        if not (self.folder / layout.END).exists():
            with suppress(FileNotFoundError, PermissionDeniedError):
                await obstore.delete_async(self.store, layout.END)
        self._begun = True

    async def _segment(self, folder: Path) -> bool:
        """Uploads the files of a segment, its manifest last, so that readers of the store see whole segments only.

        False if the segment is damaged. It is not uploaded then.
        """
        prefix, path = f"{layout.SEGMENTS}/{folder.name}", folder / layout.MANIFEST
        try:
            document = path.read_bytes()
            segment = manifest.segment_from_body(manifest.load_document(path))
            for file in segment.files:
                data = await asyncio.to_thread(file_bytes, self.folder, segment, file)
                await self._put(f"{prefix}/{file.name}", data)
        except (DamagedFile, ValueError, KeyError) as problem:
            if isinstance(problem, DamagedFile):
                problem.require_damage()
            if folder in self.waiting():  # otherwise retention removed it meanwhile
                self._damaged.add(folder.name)
                line = f"segment {folder.name} is damaged and not uploaded: {problem}"
                self.note(Note(line, Event.SEGMENT_DAMAGED, Level.ERROR, segment=int(folder.name)))
            return False
        await self._put(f"{prefix}/{layout.MANIFEST}", document)
        return True

    async def _put(self, name: str, data: bytes) -> None:
        """Creates an object. If the store has one of this name already, it must be the same."""
        try:
            # In one request: a multipart upload would overwrite an object.
            await obstore.put_async(self.store, name, data, mode="create", use_multipart=False)
        except AlreadyExistsError:
            answer = await obstore.get_async(self.store, name)
            if bytes(await answer.bytes_async()) != data:
                raise ObjectDiffers(
                    f"{self.url}/{name} is there already and differs: nothing more is uploaded; name another prefix"
                ) from None


def _store(url: str) -> "obstore.store.ObjectStore":
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES or not parts.netloc or parts.query or parts.fragment:
        raise BadOption(f"{parts.scheme or 'this'} names no object store: give {LISTED}")
    if "@" in parts.netloc and parts.scheme in ("s3", "gs", "az"):
        raise BadOption("the URL of the object store holds a user or a password: put them into the environment")
    try:
        # Client options would replace those of the environment, such as a proxy or plain HTTP.
        return from_url(url, retry_config={"max_retries": 2})
    except (BaseError, ValueError, TypeError) as problem:
        raise BadOption(f"cannot use {url}: {_reason(problem)}") from None


def _reason(problem: Exception) -> str:
    """The first line of an error, without queries: they may hold a signature."""
    text = str(problem).split("\n", 1)[0].strip() or type(problem).__name__
    return re.sub(r"\?\S+", "?…", text)
