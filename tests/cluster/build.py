"""Builds etcd, kube-apiserver and kube-controller-manager from the Go module proxy, once, into a cache.

    python -m tests.cluster.build [--release 1.36.3] [--program kube-controller-manager]

prints the folder that holds them. The cache is $HPAAUDIT_CLUSTER_CACHE, else ~/.cache/hpaaudit-cluster.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RELEASE = "1.36.3"
KUBERNETES = "k8s.io/kubernetes"
PROGRAMS = {
    "kube-apiserver": f"{KUBERNETES}/cmd/kube-apiserver",
    "kube-controller-manager": f"{KUBERNETES}/cmd/kube-controller-manager",
    "etcd": "go.etcd.io/etcd/server/v3",
}
DEFINITIONS = "zz_generated.openapi"


def say(line: str) -> None:
    """Talk goes to stderr: stdout is the answer."""
    sys.stderr.write(f"{line}\n")


def cache_folder() -> Path:
    """Where built programs are kept, a folder per release."""
    named = os.environ.get("HPAAUDIT_CLUSTER_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "hpaaudit-cluster"


def built(release: str = RELEASE, programs: tuple[str, ...] = tuple(PROGRAMS)) -> bool:
    """Whether these programs of this release are in the cache."""
    return all((cache_folder() / f"v{release}" / name).exists() for name in programs)


def go(*args: str, cwd: Path) -> str:
    """Run the Go toolchain, quietly and with a low priority; its last words when it fails."""
    completed = subprocess.run(
        ["nice", "go", *args],
        cwd=cwd,
        env={**os.environ, "GOFLAGS": "-mod=mod -trimpath -buildvcs=false", "GOWORK": "off", "CGO_ENABLED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    if completed.returncode:
        raise SystemExit(f"go {' '.join(args[:3])} …: exit {completed.returncode}\n{completed.stderr[-4000:]}")
    return completed.stdout


def wrapper(folder: Path, release: str) -> str:
    """Write a go.mod that can build the main packages of k8s.io/kubernetes; return its etcd version.

    The go.mod of k8s.io/kubernetes asks for its own libraries at v0.0.0 and replaces them by folders that
    are not in the module. A wrapper replaces them by the published versions of the same release.
    """
    libraries = "v0." + release.split(".", 1)[1]
    (folder / "go.mod").write_text("module cluster\n")
    document = json.loads(go("mod", "download", "-json", f"{KUBERNETES}@v{release}", cwd=folder))
    text = Path(document["GoMod"]).read_text()
    ours = {
        *re.findall(r"^\s*(k8s\.io/[\w./-]+) v0\.0\.0$", text, re.MULTILINE),
        *re.findall(r"^\s*(?:replace )?(k8s\.io/[\w./-]+) => \./staging/", text, re.MULTILINE),
    }
    pinned = re.findall(r"^\s+([\w./~-]+\.[\w./~-]+) => ([\w./~-]+) (v[\w.+-]+)$", text, re.MULTILINE)
    etcd = re.search(r"^\s*go\.etcd\.io/etcd/(?:server|api)/v3 (v\S+)", text, re.MULTILINE)
    head = re.findall(r"^(?:go \S+|godebug default=\S+)$", text, re.MULTILINE)
    lines = ["module cluster", "", *head, "", f"require {KUBERNETES} v{release}", "", "replace ("]
    lines += [f"\t{name} => {name} {libraries}" for name in sorted(ours)]
    lines += [f"\t{name} => {to} {at}" for name, to, at in pinned if name not in ours]
    (folder / "go.mod").write_text("\n".join([*lines, ")", ""]))
    return etcd.group(1) if etcd else ""


def definitions(folder: Path) -> None:
    """Make the OpenAPI definitions of the API server where a module lacks them (up to 1.23), as Kubernetes' build does.

    They belong into a package of k8s.io/kubernetes, so the wrapper in the folder gets a copy of that module.
    """
    module = Path(go("list", "-m", "-f", "{{.Dir}}", KUBERNETES, cwd=folder).strip())
    package = "pkg/generated/openapi"
    if (module / package / f"{DEFINITIONS}.go").exists():
        return
    copy = folder / "kubernetes"
    for name in ("cmd", "pkg", "plugin", "third_party"):
        # The files of a module may not be written to; their copies may.
        shutil.copytree(module / name, copy / name, copy_function=shutil.copyfile)
    shutil.copyfile(module / "go.mod", copy / "go.mod")
    go("mod", "edit", f"-replace={KUBERNETES}=./kubernetes", cwd=folder)
    listed = go("list", "-deps", "-f", "{{.ImportPath}} {{.Dir}}", PROGRAMS["kube-apiserver"], cwd=folder)
    served = [line.split() for line in listed.splitlines() if line.startswith("k8s.io/")]
    wanted = [
        path
        for path, package_folder in served
        if any("+k8s:openapi-gen=" in file.read_text("utf-8") for file in Path(package_folder).glob("*.go"))
    ]
    into = ("--output-base", str(folder / "made"), "--output-package", f"{KUBERNETES}/{package}")
    silent = ("--go-header-file", os.devnull, "--report-filename", os.devnull)
    command = ("--input-dirs", ",".join(wanted), "--output-file-base", DEFINITIONS, *into, *silent)
    go("run", "k8s.io/kube-openapi/cmd/openapi-gen", *command, cwd=folder)
    generated = folder / "made" / KUBERNETES / package / f"{DEFINITIONS}.go"
    generated.replace(copy / package / f"{DEFINITIONS}.go")


def stamps(release: str) -> str:
    """Linker flags: /version reads the first package, the user agent of every call the second."""
    major, minor, _ = release.split(".", 2)
    values = {
        "gitVersion": f"v{release}",
        "gitMajor": major,
        "gitMinor": minor,
        "gitTreeState": "archive",
        "gitCommit": "0" * 40,
    }
    packages = ("component-base/version", "client-go/pkg/version")
    return "-s -w " + " ".join(
        f"-X k8s.io/{package}.{name}={value}" for name, value in values.items() for package in packages
    )


def build(release: str = RELEASE, programs: tuple[str, ...] = tuple(PROGRAMS), *, jobs: int = 2) -> Path:
    """Build what the cache lacks; return the folder."""
    target = cache_folder() / f"v{release}"
    missing = [name for name in programs if not (target / name).exists()]
    if not missing:
        return target
    if not shutil.which("go"):
        raise SystemExit("go is not on PATH: the Go toolchain is needed to build the cluster's programs")
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="hpaaudit-cluster-build-") as name:
        folder = Path(name)
        begun = time.monotonic()
        etcd = wrapper(folder, release)
        for program in missing:
            at = time.monotonic()
            if program == "kube-apiserver":
                definitions(folder)
            if program == "etcd" and etcd:
                go("mod", "edit", f"-require=go.etcd.io/etcd/server/v3@{etcd}", cwd=folder)
            part = target / f".{program}.part"
            flags = ("-p", str(jobs), "-ldflags", stamps(release))
            go("build", *flags, "-o", str(part), PROGRAMS[program], cwd=folder)
            part.replace(target / program)
            say(f"{program}: {time.monotonic() - at:.0f} s, {(target / program).stat().st_size / 1e6:.0f} MB")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
        say(f"built in {time.monotonic() - begun:.0f} s; largest process {peak:.1f} GB")
    return target


def main() -> None:
    """Build, and print the folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.build", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--release", default=RELEASE)
    parser.add_argument("--program", action="append", choices=list(PROGRAMS))
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    folder = build(args.release, tuple(args.program or PROGRAMS), jobs=args.jobs)
    sys.stdout.write(f"{folder}\n")


if __name__ == "__main__":
    main()
