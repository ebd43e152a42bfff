"""Builds the recorder's image as deploy/Containerfile says, and runs it as a Kubernetes node would.

    python -m tests.cluster.image

needs root, buildah, debootstrap, runc (Debian's packages) and what the cluster needs. No registry is asked: the
recipe's base image is played by Debian's trixie, which has that Python, under the same name in a storage of its own,
$HPAAUDIT_CLUSTER_CACHE/image. The recipe itself is built unchanged. Two minutes the first time, one after that.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cluster import pod
from tests.cluster.build import cache_folder, say
from tests.cluster.recorder import ROOT

RECIPE = ROOT / "deploy" / "Containerfile"
SUITE, MIRROR = "trixie", "http://deb.debian.org/debian"
PACKAGES = "ca-certificates,netbase,tzdata,python3,python3-pip"
"""What the official image has beside Debian's least; there Python and pip are built from source."""
LINKS = {"python": "python3", "python3": "python3", "pip": "pip3", "pip3": "pip3"}
"""The programs where the official image has them, /usr/local/bin, and Debian's names of them."""
TOOLS = ("buildah", "debootstrap", "runc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image in our storage: its name, its config as the OCI has it."""

    name: str
    config: dict[str, Any]


def run(*command: str | Path) -> str:
    """What a program prints; its last words when it fails."""
    completed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if completed.returncode:
        raise SystemExit(
            f"{' '.join(map(str, command[:8]))} …: exit {completed.returncode}\n{completed.stderr[-4000:]}"
        )
    return completed.stdout.strip()


def buildah(*args: str | Path) -> str:
    """Run buildah in our own storage: whatever images this machine has are neither used nor touched."""
    cache = cache_folder() / "image"
    where = ("--root", cache / "storage", "--runroot", cache / "run", "--storage-driver", "vfs")
    return run("buildah", *where, *args)


def base_name() -> str:
    """The one image that the recipe begins with, without the digest that whoever builds it must give."""
    (name,) = set(re.findall(r"^FROM (\S+)@\$\{BASE_DIGEST\}", RECIPE.read_text("utf-8"), re.MULTILINE))
    return name


def make_base(name: str) -> None:
    """Make the stand-in of the base image, unless our storage has it."""
    if name in buildah("images", "--format", "{{.Name}}:{{.Tag}}").splitlines():
        return
    say(f"making a stand-in for {name} of Debian's {SUITE}")
    with tempfile.TemporaryDirectory(prefix="hpaaudit-base-") as folder:
        root = Path(folder) / "root"
        run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, root, MIRROR)
        for link, program in LINKS.items():
            (root / "usr/local/bin" / link).symlink_to(f"/usr/bin/{program}")
        for package_folder in ("var/cache/apt", "var/lib/apt/lists"):
            shutil.rmtree(root / package_folder)
        container = buildah("from", "scratch")
        buildah("add", "--quiet", container, root, "/")
        buildah("config", "--env", "PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin", container)
        buildah("commit", "--quiet", "--rm", container, name)


def pip_settings(folder: Path) -> list[str]:
    """Mounts that give the build this machine's way to PyPI; the image keeps none of them."""
    pip_config = run("pip", "config", "list") if shutil.which("pip") else ""
    pip_values = dict(re.findall(r"^[\w.:-]*?\.(?:default-)?([\w-]+)='(.*)'$", pip_config, re.MULTILINE))
    settings = {key: value for key, value in pip_values.items() if not value.startswith("/") or Path(value).exists()}
    (folder / "pip.conf").write_text("[global]\n" + "".join(f"{key} = {value}\n" for key, value in settings.items()))
    paths = sorted({value for value in settings.values() if value.startswith("/")})
    return [f"--volume={folder}/pip.conf:/etc/pip.conf:ro", *(f"--volume={path}:{path}:ro" for path in paths)]


def build() -> Image:
    """Build the wheel and the image of it."""
    base = base_name()
    make_base(base)
    digest = buildah("images", "--format", "{{.Digest}}", base)
    run("make", "--no-print-directory", "wheel")
    (wheel,) = re.findall(r"hpaaudit-([\w.]+)-py3", RECIPE.read_text("utf-8"))[:1]
    name = f"localhost/hpaaudit:{wheel}"
    with tempfile.TemporaryDirectory(prefix="hpaaudit-image-") as folder:
        mounts = pip_settings(Path(folder))
        build_args = ("--build-arg", f"BASE_DIGEST={digest}")
        buildah(
            "bud", "--isolation", "chroot", "--pull-never", *build_args, *mounts, "--file", RECIPE, "--tag", name, ROOT
        )
    inspected = json.loads(buildah("inspect", "--type", "image", name))
    return Image(name=name, config=inspected["OCIv1"]["config"])


@contextmanager
def unpacked(image: Image) -> Iterator[Path]:
    """The root file system of a container of an image."""
    name = buildah("from", "--pull-never", image.name)
    try:
        yield Path(buildah("mount", name))
    finally:
        buildah("rm", name)


def sizes(root: Path) -> dict[str, int]:
    """Bytes on the disk of what the recipe installed: all of it, and each thing beside it that is over a megabyte."""
    (packages,) = (root / "opt/hpaaudit/lib").glob("python*/site-packages")

    def size(path: Path) -> int:
        files = path.rglob("*") if path.is_dir() else [path]
        return sum(file.lstat().st_size for file in files if not file.is_dir())

    parts = {path.name: size(path) for path in packages.iterdir()}
    largest = sorted((item for item in parts.items() if item[1] > 1e6), key=lambda item: -item[1])
    return {"/opt/hpaaudit": size(root / "opt/hpaaudit"), **dict(largest)}


def main() -> None:
    """Build it, run it, and say what was seen."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.image", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=20, help="how long the recorder runs once it is ready")
    args = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("only root can make a file system and a container")
    if missing := [tool for tool in TOOLS if not shutil.which(tool)]:
        raise SystemExit(f"{', '.join(missing)} not on PATH: apt-get install --no-install-recommends {' '.join(TOOLS)}")
    begun = time.monotonic()
    image = build()
    say(f"built {image.name} in {time.monotonic() - begun:.0f} s")
    with unpacked(image) as root:
        for name, size in sizes(root).items():
            say(f"{size / 1e6:8.1f} MB  {name}")
        pod.play(root, image.config, args.seconds)


if __name__ == "__main__":
    main()
