"""A disk that knows what was synced: it refuses, tears and forgets as a real one may, and not more.

Real files in a real folder, and between them and the recorder the functions of `os` and `open`. A rename is one step,
also in a crash; names in a folder come to the disk in the order of their changes, or when the folder is synced; bytes
of a file come in sectors, in any order, or when the file is synced.
"""

import builtins
import errno
import io
import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.simulation.machine import Killed

SECTOR = 512
TOTAL = 1 << 30
MODES = ("nothing", "everything", "up to an instant", "by folder")
"""What a crash leaves of names that were not synced."""


@dataclass
class Node:
    """A file or a folder. `synced` are its bytes, `names` its entries, as the disk has them for certain.

    entries   of a folder as they are now;  last   bytes of a file that has no name any more
    lost      bytes as they were when a sync failed: the kernel forgot that they were never written
    """

    entries: "dict[str, Node] | None" = None
    names: "dict[str, Node]" = field(default_factory=dict)
    synced: bytes = b""
    last: bytes | None = None
    lost: bytes | None = None
    path: Path | None = None


Change = Callable[[], None]


@dataclass
class Odds:
    """How often an operation fails, and how: chances of 0 to 1."""

    write_error: float = 0
    short_write: float = 0
    sync_error: float = 0
    read_error: float = 0


class Disk:
    """The disk below `root`.

    dead      the process is gone: nothing it still does has an effect
    steps     changing operations so far;  kill_at   the one at which the process dies
    read_only, free   EROFS, and bytes that are left until ENOSPC
    """

    def __init__(self, root: Path, chance: random.Random, trace: Callable[[str], None]) -> None:
        self.root, self.chance, self.trace = root, chance, trace
        self.odds, self.read_only, self.free = Odds(), False, TOTAL
        self.dead, self.steps, self.kill_at = False, 0, -1
        self.top = Node(entries={})
        self.pending: list[tuple[tuple[Node, ...], Change]] = []
        self.open: dict[int, Node] = {}
        root.mkdir(parents=True)
        self.top.path = root

    # What the recorder calls

    @contextmanager
    def between(self) -> Iterator[None]:
        """Stand between the process and its files."""
        replaced: list[tuple[Any, str, Any]] = []

        def put(module: Any, name: str, mine: Any) -> None:
            replaced.append((module, name, getattr(module, name)))
            setattr(module, name, mine)

        self.real = {name: getattr(os, name) for name in dir(os)}
        self.real_open, self.real_usage = builtins.open, shutil.disk_usage
        for name in (
            "open", "close", "fsync", "fdatasync", "pwrite", "write", "ftruncate", "rename", "replace", "unlink",
            "remove", "mkdir", "rmdir", "posix_fallocate", "_exit",
        ):  # fmt: skip
            put(os, name, getattr(self, f"_{name.strip('_')}"))
        put(builtins, "open", self._open_file)
        put(io, "open", self._open_file)
        put(shutil, "disk_usage", self._disk_usage)
        try:
            yield
        finally:
            for module, name, real in replaced:
                setattr(module, name, real)

    def _exit(self, code: int) -> None:
        """The process ends at once, by its own hand."""
        self.trace(f"exits with {code}")
        self.dead = True
        raise Killed

    def _step(self, what: str, path: object) -> None:
        """A changing operation begins."""
        if self.dead:
            raise Killed
        self.steps += 1
        if self.steps == self.kill_at:
            self.trace(f"killed at {what} {self._short(path)} (operation {self.steps} of this process)")
            self.dead = True
            raise Killed
        if self.read_only and what not in ("fsync", "close"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    def _short(self, path: object) -> str:
        return os.path.relpath(str(path), self.root) if isinstance(path, str | os.PathLike) else str(path)

    def _where(self, path: Any, dir_fd: int | None = None) -> tuple[Node, str] | None:
        """The folder of a path and its name there; None where it is not ours."""
        if isinstance(path, int):
            return None
        if dir_fd is not None and not Path(os.fsdecode(path)).is_absolute():
            node = self.open.get(dir_fd)
            parts = Path(os.fsdecode(path)).parts
        else:
            text = os.path.abspath(os.fsdecode(path))  # noqa: PTH100  # a link must stay one
            if not text.startswith(f"{self.root}/"):
                return None
            node, parts = self.top, Path(text).relative_to(self.root).parts
        for part in parts[:-1]:
            if node is None or node.entries is None:
                return None
            node = node.entries.get(part)
        if node is None or node.entries is None:
            return None
        return node, parts[-1]

    def _node(self, path: Any, dir_fd: int | None = None) -> Node | None:
        if not isinstance(path, int) and dir_fd is None and Path(os.fsdecode(path)) == self.root:
            return self.top
        where = self._where(path, dir_fd)
        return where[0].entries.get(where[1]) if where and where[0].entries is not None else None

    def _open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        where, node = self._where(path, dir_fd), self._node(path, dir_fd)
        ours = where is not None or node is not None
        if ours and self.dead:
            raise Killed
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        if ours and writes:
            self._step("open", path)
            if node is None and flags & os.O_CREAT:
                self._maybe(self.odds.write_error, path)
        elif ours and node is not None and node.entries is None:
            self._maybe_unread(path)
        if ours and flags & os.O_WRONLY:
            flags = flags & ~os.O_WRONLY | os.O_RDWR  # we read what is synced
        descriptor: int = self.real["open"](path, flags, mode, dir_fd=dir_fd)
        if ours:
            if node is None and where:
                node = self._link(where, Node())
            if node is not None:
                self.open[descriptor] = node
                if node.entries is None and flags & os.O_TRUNC:
                    node.lost = None
        return descriptor

    def _link(self, where: tuple[Node, str], node: Node) -> Node:
        folder, name = where
        assert folder.entries is not None
        folder.entries[name] = node
        node.path = (folder.path or self.root) / name
        self.pending.append(((folder,), lambda: folder.names.__setitem__(name, node)))
        return node

    def _open_file(self, file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if isinstance(file, int) and file in self.open and mode == "wb":  # by `os.fdopen`
            return io.BufferedWriter(_Raw(self, file))
        node = self._node(file) if not isinstance(file, int) else None
        where = self._where(file) if not isinstance(file, int) else None
        if where is None and node is None:
            return self.real_open(file, mode, *args, **kwargs)
        if not set(mode) & set("wax+"):
            if self.dead:
                raise Killed
            if node is not None and node.entries is None:
                self._maybe_unread(file)
            return self.real_open(file, mode, *args, **kwargs)
        opener = kwargs.get("opener") or (lambda path, flags: os.open(path, flags, 0o666))
        flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if "w" in mode else os.O_EXCL if "x" in mode else os.O_APPEND)
        descriptor = opener(os.fspath(file), flags | os.O_CLOEXEC)
        raw = io.BufferedWriter(_Raw(self, descriptor))
        return raw if "b" in mode else io.TextIOWrapper(raw, encoding="utf-8")

    def _close(self, descriptor: int) -> None:
        self.open.pop(descriptor, None)
        self.real["close"](descriptor)

    def _maybe(self, odds: float, path: object) -> None:
        if odds and self.chance.random() < odds:
            self.trace(f"EIO at {self._short(path)}")
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def _maybe_unread(self, path: object) -> None:
        self._maybe(self.odds.read_error, path)

    def _room(self, size: int) -> int:
        """How many of so many bytes there is room for; ENOSPC where there is none."""
        if size and self.free <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken = min(size, self.free)
        self.free -= taken
        return taken

    def _write_at(self, descriptor: int, data: Any, at: int | None) -> int:
        node = self.open[descriptor]
        self._step("write", node.path)
        self._maybe(self.odds.write_error, node.path)
        view = memoryview(data).cast("B")
        end = self.real["fstat"](descriptor).st_size
        begin = end if at is None else at
        grows = max(0, begin + len(view) - end)
        fits = len(view) - grows + self._room(grows) if grows else len(view)
        if len(view) > 1 and self.odds.short_write and self.chance.random() < self.odds.short_write:
            fits = self.chance.randrange(1, fits + 1) if fits else fits
        written: int = self.real["pwrite"](descriptor, view[:fits], begin)
        return written

    def _pwrite(self, descriptor: int, data: Any, offset: int) -> int:
        if descriptor not in self.open:
            return int(self.real["pwrite"](descriptor, data, offset))
        return self._write_at(descriptor, data, offset)

    def _write(self, descriptor: int, data: Any) -> int:
        if descriptor not in self.open:
            return int(self.real["write"](descriptor, data))
        return self._write_at(descriptor, data, None)

    def _ftruncate(self, descriptor: int, length: int) -> None:
        if node := self.open.get(descriptor):
            self._step("truncate", node.path)
            self.free += max(0, self.real["fstat"](descriptor).st_size - length)
        self.real["ftruncate"](descriptor, length)

    def _posix_fallocate(self, descriptor: int, offset: int, length: int) -> None:
        if node := self.open.get(descriptor):
            self._step("allocate", node.path)
            if self.free < length:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.free -= length
        self.real["posix_fallocate"](descriptor, offset, length)

    def _rename(self, src: Any, dst: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
        before, after = self._where(src, src_dir_fd), self._where(dst, dst_dir_fd)
        if before and after:
            self._step("rename", dst)
            self._maybe(self.odds.write_error, dst)
            overwritten = self._node(dst, dst_dir_fd)
            if overwritten is not None and overwritten.entries is None:
                self._keep_last(overwritten)
        self.real["rename"](src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        if not (before and after):
            return
        (old, name), (new, other) = before, after
        assert old.entries is not None
        assert new.entries is not None
        node = old.entries.pop(name)
        new.entries[other] = node
        self._moved(node, (new.path or self.root) / other)

        def change() -> None:
            if old.names.get(name) is node:
                del old.names[name]
            new.names[other] = node

        self.pending.append(((old, new), change))

    _replace = _rename

    def _moved(self, node: Node, path: Path) -> None:
        node.path = path
        for name, inner in (node.entries or {}).items():
            self._moved(inner, path / name)

    def _keep_last(self, node: Node) -> None:
        assert node.path
        node.last = self._bytes(node.path)
        self.free += len(node.last)

    def _bytes(self, path: Path) -> bytes:
        descriptor = self.real["open"](path, os.O_RDONLY)
        try:
            return bytes(self.real["pread"](descriptor, 1 << 30, 0))
        finally:
            self.real["close"](descriptor)

    def _unlink(self, path: Any, *, dir_fd: int | None = None) -> None:
        where, node = self._where(path, dir_fd), self._node(path, dir_fd)
        if where and node is not None and node.entries is None:
            self._step("unlink", node.path)
            self._maybe(self.odds.write_error, node.path)
            self._keep_last(node)
        self.real["unlink"](path, dir_fd=dir_fd)
        if where and node is not None:
            self._drop(where, node)

    _remove = _unlink

    def _rmdir(self, path: Any, *, dir_fd: int | None = None) -> None:
        where, node = self._where(path, dir_fd), self._node(path, dir_fd)
        if where and node is not None:
            self._step("rmdir", node.path)
        self.real["rmdir"](path, dir_fd=dir_fd)
        if where and node is not None:
            self._drop(where, node)

    def _drop(self, where: tuple[Node, str], node: Node) -> None:
        folder, name = where
        assert folder.entries is not None
        del folder.entries[name]

        def change() -> None:
            if folder.names.get(name) is node:
                del folder.names[name]

        self.pending.append(((folder,), change))

    def _mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        where = self._where(path, dir_fd)
        if where:
            self._step("mkdir", path)
            self._maybe(self.odds.write_error, path)
        self.real["mkdir"](path, mode, dir_fd=dir_fd)
        if where:
            self._link(where, Node(entries={}))

    def _disk_usage(self, path: Any) -> Any:
        if self._node(path) is None:
            return self.real_usage(path)
        return shutil._ntuple_diskusage(TOTAL, TOTAL - max(0, self.free), max(0, self.free))  # type: ignore[attr-defined]

    # Syncs and crashes

    def _fsync(self, descriptor: int) -> None:
        self._fsync_one(descriptor)

    def _fsync_one(self, descriptor: int) -> None:
        node = self.open.get(descriptor)
        if node is None:
            self.real["fsync"](descriptor)
            return
        self._step("fsync", node.path)
        if node.entries is not None:
            self._maybe(self.odds.sync_error, node.path)
            self._sync_names(node)
            return
        data = bytes(self.real["pread"](descriptor, 1 << 30, 0))
        try:
            self._maybe(self.odds.sync_error, node.path)
        except OSError:
            if self.chance.random() < 0.5:
                node.lost = data
            raise
        node.synced = data if node.lost is None else _without(data, node.lost, node.synced)

    _fdatasync = _fsync

    def _sync_names(self, folder: Node) -> None:
        """The changes of a folder's names are on the disk, and so are those of others that they depend on."""
        mine = [change for folders, change in self.pending if folder in folders]
        self.pending = [item for item in self.pending if folder not in item[0]]
        for change in mine:
            change()

    def crash(self) -> None:
        """The power fails: what was not synced is there, or is not, or partly."""
        mode = self.chance.choice(MODES)
        if mode == "everything":
            count_kept = len(self.pending)
        else:
            count_kept = self.chance.randint(0, len(self.pending)) if mode == "up to an instant" else 0
        for _, change in self.pending[:count_kept]:
            change()
        if mode == "by folder":
            cut: dict[int, bool] = {}
            for folders, change in self.pending:
                if any(cut.setdefault(id(folder), False) for folder in folders) or self.chance.random() < 0.3:
                    cut |= {id(folder): True for folder in folders}
                else:
                    change()
        self.trace(f"power failed: of {len(self.pending)} names that were not synced: {mode}")
        self.pending = []
        self._fall(self.top)
        shutil.rmtree(self.root)
        self._rebuild(self.top, self.root)

    def _fall(self, folder: Node) -> None:
        """Decides what is left of each file."""
        for name, node in sorted(folder.names.items()):
            if node.entries is not None:
                self._fall(node)
                continue
            now = node.last
            if now is None:
                assert node.path
                now = self._bytes(node.path) if node.path.exists() else node.synced
            node.synced = node.last = self._torn(node.synced, now, name)
            node.lost = None

    def _torn(self, before: bytes, now: bytes, name: str) -> bytes:
        """What the disk has of a file: sectors of before and of now, and of what is new perhaps zeros or noise."""
        if before == now:
            return now
        how = self.chance.choice(("old", "new", "sectors", "sectors", "noise"))
        if how == "old":
            return before
        if how == "new":
            return now
        size = self.chance.randint(min(len(before), len(now)), max(len(before), len(now)))
        damaged = bytearray()
        for at in range(0, size, SECTOR):
            old, new = before[at : at + SECTOR], now[at : at + SECTOR]
            other = old if at < len(before) else bytes(SECTOR) if how == "sectors" else self.chance.randbytes(SECTOR)
            damaged += (new if self.chance.random() < 0.5 else other).ljust(SECTOR, b"\0")[: size - at]
        self.trace(f"{name} is torn: {len(before)} bytes were synced, {len(now)} written, {size} are left ({how})")
        return bytes(damaged)

    def _rebuild(self, folder: Node, path: Path) -> None:
        path.mkdir()
        folder.path, folder.entries = path, dict(folder.names)
        for name, node in folder.names.items():
            if node.entries is not None:
                self._rebuild(node, path / name)
            else:
                (path / name).write_bytes(node.synced)
                node.path, node.last = path / name, None

    def end_process(self) -> None:
        """The process is gone: its files are closed, and its locks with them."""
        self.dead = True
        for descriptor in list(self.open):
            with_no_more = self.open.pop(descriptor)
            del with_no_more
            os.close(descriptor)

    def begin_process(self) -> None:
        """Another one comes."""
        self.dead, self.steps, self.kill_at = False, 0, -1
        for folder in (self.top,):
            folder.path = self.root


class _Raw(io.RawIOBase):
    """A file that is written through the disk."""

    def __init__(self, disk: Disk, descriptor: int) -> None:
        super().__init__()
        self.disk, self.descriptor = disk, descriptor

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.descriptor

    def write(self, data: Any) -> int:
        return self.disk._write_at(self.descriptor, data, None)

    def close(self) -> None:
        if not self.closed:
            try:
                super().close()
            finally:
                if self.descriptor in self.disk.open:
                    self.disk._close(self.descriptor)


def _without(now: bytes, lost: bytes, synced: bytes) -> bytes:
    """What a sync writes after one that failed: sectors that changed since; of the others the old ones stay."""
    damaged = bytearray()
    for at in range(0, len(now), SECTOR):
        new, failed = now[at : at + SECTOR], lost[at : at + SECTOR]
        damaged += synced[at : at + SECTOR].ljust(len(new), b"\0")[: len(new)] if new == failed else new
    return bytes(damaged)
