"""Builds the controller of 1.1 to 1.11, whose modules have no go.mod: called by `prepare` with the release.

The revisions of third-party modules that a release names in its Godeps.json cannot be had from a module proxy. So the
versions are those that 1.15 asks for, with `legacy/third-party` (module, version, releases) over them. 1.1 and 1.2
bring their own third-party sources in Godeps/_workspace.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORK = Path(os.environ.get("HPAAUDIT_ORACLE_WORK", Path.home() / ".cache" / "hpaaudit-oracle"))
DONOR = "1.15.12"
"""The release whose third-party versions are taken."""

SEGMENTS = {
    "k8s.io/": 2,
    "bitbucket.org/": 3,
    "google.golang.org/": 2,
    "go.opencensus.io": 1,
    "vbom.ml/": 2,
    "go4.org": 1,
}
"""How many segments of an import path name its module; three if nothing else is known."""

RENAMED = {
    "k8s.io/apimachinery/pkg/api/resource": "k8s.io/kubernetes/pkg/api/resource",
    "k8s.io/apimachinery/pkg/labels": "k8s.io/kubernetes/pkg/labels",
    "k8s.io/apimachinery/pkg/runtime": "k8s.io/kubernetes/pkg/runtime",
    "k8s.io/client-go/tools/record": "k8s.io/kubernetes/pkg/client/record",
}
"""Where packages of today were until 1.5."""


def main() -> None:
    """Builds one release."""
    release = sys.argv[1]
    minor = int(release.split(".")[1])
    jobs = os.environ.get("ORACLE_JOBS", "2")
    os.environ.update(
        GOMODCACHE=str(WORK / "mod"),
        GOCACHE=str(WORK / "gocache"),
        GOTOOLCHAIN="local",
        GOFLAGS=f"-p={jobs} -mod=mod",
    )
    Build(release, minor, _version_of(release)).make()


def _version_of(release: str) -> str:
    lines = (HERE / "releases.txt").read_text("utf-8").splitlines()
    return next(line.split()[1] for line in lines if line.split()[:1] == [release])


def _run(*command: str, cwd: Path, may_fail: bool = False) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode and not may_fail:
        sys.exit(f"{' '.join(command)}:\n{done.stdout[-4000:]}{done.stderr[-6000:]}")
    return done


def _downloaded(module: str) -> dict[str, str]:
    """Where the module proxy's copy of a module lies."""
    WORK.mkdir(parents=True, exist_ok=True)
    told: dict[str, str] = json.loads(_run("go", "mod", "download", "-json", module, cwd=WORK).stdout)
    return told


def _copy(source: Path, place: Path) -> None:
    """Copies a folder out of the module cache, whose files are read-only."""
    shutil.copytree(source, place, dirs_exist_ok=True)
    _run("chmod", "-R", "u+w", str(place), cwd=WORK)


def _module_of(package: str) -> str:
    """The module that a package is probably of."""
    parts = package.split("/")
    if package.startswith("cloud.google.com/go"):
        return "cloud.google.com/go"
    if package.startswith("gopkg.in/"):
        return "/".join(parts[: 2 if re.search(r"\.v\d", parts[1]) else 3])
    known = (count for prefix, count in SEGMENTS.items() if package.startswith(prefix))
    return "/".join(parts[: next(known, 3)])


def _with_old_alphabet(codec: Path) -> None:
    """Gives ugorji's codec another alphabet for generated names: Go refuses its own today, and nothing is generated."""
    codec.write_text(codec.read_text("utf-8").replace("0123456789__", "0123456789_-"), "utf-8")


class Build:
    """The build folder of one release: its harness, its go.mod, its program."""

    def __init__(self, release: str, minor: int, version: str) -> None:
        self.release, self.minor, self.version = release, minor, version
        self.folder = WORK / release
        self.upstream = Path(_downloaded(f"k8s.io/kubernetes@v{version}")["Dir"])
        self.lines = ["module oracle", "", "go 1.26", "", f"require k8s.io/kubernetes v{version}"]
        self.third: dict[str, str] = {}
        self.versions = self._third_party()

    def make(self) -> None:
        """Lay everything out, and build."""
        self._harness()
        self._staging()
        if self.minor <= 5:
            self._tree()
        if 3 <= self.minor <= 7:
            self._composites()
        overlay = ["-overlay", str(self._overlay())]
        self._resolve(overlay)
        start = time.time()
        program = self.folder / "oracle.test"
        _run("go", "test", *overlay, "-vet=off", "-c", "-o", str(program), ".", cwd=self.folder)
        sys.stdout.write(f"{self.release} ({self.version}) built in {time.time() - start:.0f} s: {program}\n")

    def _third_party(self) -> dict[str, str]:
        text = Path(_downloaded(f"k8s.io/kubernetes@v{DONOR}")["GoMod"]).read_text("utf-8").partition("replace (")[0]
        found = re.findall(r"^\t([a-z]\S*) (v\S+)", text, re.MULTILINE)
        versions = {module: version for module, version in found if version != "v0.0.0"}
        for line in (HERE / "legacy" / "third-party").read_text("utf-8").splitlines():
            module, version, releases = line.split()
            low, high = releases.split("-")
            if int(low) <= self.minor <= int(high):
                versions[module] = version
        return versions

    def _harness(self) -> None:
        """The harness in the dialect of the release: files of `legacy/` replace those of `harness/`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for old in self.folder.glob("*.go"):
            old.unlink()
        files = {file.name: file for folder in ("harness", "legacy") for file in sorted((HERE / folder).glob("*.go"))}
        del files["convert_test.go"]  # converts with the API of 1.12 and later
        for name in _run(str(HERE / "adapters" / "files"), self.release, cwd=HERE).stdout.split():
            files[name] = HERE / "adapters" / name
        for name, file in files.items():
            text = file.read_text("utf-8")
            for new, old in RENAMED.items() if self.minor <= 5 else ():
                text = text.replace(f'"{new}"', f'"{old}"')
            (self.folder / name).write_text(text, "utf-8")
        constants = f'\treleaseMinor   = "{self.release}"\n\treleaseVersion = "{self.version}"\n'
        (self.folder / "release.go").write_text(f"package oracle\n\nconst (\n{constants})\n", "utf-8")

    def _staging(self) -> None:
        """Kubernetes' own modules, which travel inside its module."""
        staging = WORK / "staging" / self.version
        sources = sorted((self.upstream / "staging/src/k8s.io").glob("*")) if self.minor >= 6 else []
        if self.minor == 6:  # its metrics clients lived elsewhere; those of 1.7 speak the same groups
            seven = Path(_downloaded(f"k8s.io/kubernetes@v{_version_of('1.7')}")["Dir"])
            sources.append(seven / "staging/src/k8s.io/metrics")
        for source in sources:
            copied = staging / "k8s.io" / source.name
            if not (copied / "go.mod").exists():
                _copy(source, copied)
                (copied / "go.mod").write_text(f"module k8s.io/{source.name}\n", "utf-8")
                if self.minor == 6 and source.name == "metrics":
                    self._adapt_metrics(copied)
            place = f"../staging/{self.version}/k8s.io/{source.name}"
            self.lines += [f"require k8s.io/{source.name} v0.0.0", f"replace k8s.io/{source.name} => {place}"]

    @staticmethod
    def _adapt_metrics(copied: Path) -> None:
        for generated in copied.rglob(
            "types.generated.go"
        ):  # they know fields that 1.6 has not; JSON goes without them
            generated.unlink()
        client = copied / "pkg/client/custom_metrics/client.go"
        client.write_text(client.read_text("utf-8").replace("meta.UnsafeGuessKindToResource", "meta.KindToResource"))

    def _tree(self) -> None:
        """A copy of Kubernetes' module with the few words of ours."""
        tree = WORK / "tree" / self.version
        if not (tree / "go.mod").exists():
            for name in ("pkg", "federation", "third_party", "plugin"):
                if (self.upstream / name).exists():
                    _copy(self.upstream / name, tree / name)
            (tree / "go.mod").write_text("module k8s.io/kubernetes\n", "utf-8")
        _patch(self.upstream, tree, self.minor)
        self.lines.append(f"replace k8s.io/kubernetes => ../tree/{self.version}")

    def _composites(self) -> None:
        """go-restful with its package swagger, which moved to a module of its own in 2017, and ugorji's codec."""
        restful, ugorji = WORK / "composite/github.com/emicklei/go-restful", WORK / "composite/github.com/ugorji/go"
        if not (restful / "go.mod").exists():
            self._copy_module("github.com/emicklei/go-restful", restful)
            self._copy_module("github.com/emicklei/go-restful-swagger12", restful / "swagger")
            (restful / "go.mod").write_text("module github.com/emicklei/go-restful\n", "utf-8")
        if not (ugorji / "go.mod").exists():
            self._copy_module("github.com/ugorji/go", ugorji)
            _with_old_alphabet(ugorji / "codec/gen.go")
            (ugorji / "go.mod").write_text("module github.com/ugorji/go\n", "utf-8")

    def _copy_module(self, module: str, place: Path) -> None:
        version = self.versions.get(module, "v0.0.0-20170208215640-dcef7f557305")
        _copy(Path(_downloaded(f"{module}@{version}")["Dir"]), place)

    def _overlay(self) -> Path:
        """The compiler sees a net/url that does not quote the URL of a failed request: Get https://…: dial tcp …."""
        folder = WORK / "overlay" / self.release
        folder.mkdir(parents=True, exist_ok=True)
        url = Path(_run("go", "env", "GOROOT", cwd=WORK).stdout.strip()) / "src/net/url/url.go"
        text = url.read_text("utf-8")
        line = next(each for each in text.splitlines() if each.startswith("func (e *Error) Error() string"))
        plain = 'func (e *Error) Error() string { return e.Op + " " + e.URL + ": " + e.Err.Error() }'
        (folder / "url.go").write_text(text.replace(line, plain), "utf-8")
        file = folder / "overlay.json"
        file.write_text(json.dumps({"Replace": {str(url): str(folder / "url.go")}}), "utf-8")
        return file

    def _resolve(self, overlay: list[str]) -> None:
        """Adds the modules that are asked for, until none is missing."""
        listing = ("go", "list", *overlay, "-e", "-deps", "-test", "-f", "{{with .Error}}{{.}}{{end}}", ".")
        patterns = (
            r"finding module for package ([^\s;:]+)",
            r"no required module provides package ([^\s;:]+)",
            r"module providing package ([^\s;:]+)",
            r'cannot find (?:module|package) "?([a-z][^\s;:"]+)',
        )
        while True:
            self._write()
            listed = _run(*listing, cwd=self.folder, may_fail=True)
            text = listed.stdout + listed.stderr
            missing = sorted({package for pattern in patterns for package in re.findall(pattern, text)})
            added = [package for package in missing if self._add(package)]
            if not added:
                if missing:
                    sys.stderr.write(f"not found: {', '.join(missing)}\n{text[-1500:]}\n")
                return

    def _add(self, package: str) -> bool:
        """True if the module of a package is new here and could be found."""
        module = _module_of(package)
        if module in self.third:
            return False
        own = self.upstream / "Godeps/_workspace/src" / module
        if own.exists():
            copied = WORK / "workspace" / self.version / module
            if not (copied / "go.mod").exists():
                _copy(own, copied)
                (copied / "go.mod").write_text(f"module {module}\n", "utf-8")
                if module == "github.com/ugorji/go":
                    _with_old_alphabet(copied / "codec/gen.go")
            self.third[module] = f"../workspace/{self.version}/{module}"
        elif module in self.versions:
            is_composite = module == "github.com/ugorji/go" or (
                module == "github.com/emicklei/go-restful" and 3 <= self.minor <= 6
            )
            self.third[module] = f"../composite/{module}" if is_composite else self.versions[module]
        return module in self.third

    def _write(self) -> None:
        lines = list(self.lines)
        for module, source in sorted(self.third.items()):
            if source.startswith("v"):
                lines.append(f"require {module} {source}")
                continue
            suffix = re.fullmatch(r"gopkg\.in/.*v(\d)", module)
            lines += [f"require {module} v{suffix[1] if suffix else 0}.0.0", f"replace {module} => {source}"]
        (self.folder / "go.mod").write_text("\n".join(lines) + "\n", "utf-8")


def _patch(upstream: Path, tree: Path, minor: int) -> None:
    """The few words of ours inside old releases, each found by name: who reconciles when, a queue that can be ended."""
    _edit(upstream, tree, "pkg/controller/podautoscaler/horizontal.go", (RECONCILE, RECONCILING))
    if minor == 1:  # its loop never ends by itself
        name = tree / "pkg/controller/podautoscaler/horizontal.go"
        text = name.read_text("utf-8").replace("util.NeverStop", "Stop")
        stop = "var Stop <-chan struct{}\n\nvar Reconciling func"
        name.write_text(text.replace("var Reconciling func", stop), "utf-8")
    plugins = "plugin/pkg/client/auth/plugins.go"
    if (upstream / plugins).exists():  # clients that log in by OIDC or with Google: their libraries are gone
        (tree / plugins).write_text("package auth\n", "utf-8")
    for linux in list(tree.glob("pkg/util/resource_container_linux.go")):
        linux.unlink()  # what it asks of Docker's libraries has changed; nothing here needs it
        other = linux.with_name("resource_container_unsupported.go")
        other.write_text(other.read_text("utf-8").replace("// +build !linux", "// +build linux"), "utf-8")
    if minor >= 2:
        # The queue's lock is held while a reconcile lasts; a mutex would stop virtual time, a channel does not.
        _edit(
            upstream,
            tree,
            "pkg/client/cache/delta_fifo.go",
            (r"^\tlock sync\.RWMutex$", "\tlock   bubbleLock\n\tClosed bool"),
            (r"^\t\t\tf\.cond\.Wait\(\)$", "\t\t\tif f.Closed {\n\t\t\t\tendLoop()\n\t\t\t}\n\t\t\tf.cond.Wait()"),
            (r"^\t\tid := f\.queue\[0\]$", "\t\tif f.Closed {\n\t\t\tendLoop()\n\t\t}\n\t\tid := f.queue[0]"),
        )
        (tree / "pkg/client/cache/bubble_lock.go").write_text(BUBBLE_LOCK, "utf-8")


def _edit(upstream: Path, tree: Path, name: str, *changes: tuple[str, str]) -> None:
    """Writes a file of upstream into the tree with these changes; each must be found."""
    text = (upstream / name).read_text("utf-8")
    for pattern, new in changes:
        text, count = re.subn(pattern, new, text, flags=re.MULTILINE)
        if not count:
            sys.exit(f"{name}: no {pattern!r}")
    (tree / name).write_text(text, "utf-8")


RECONCILE = (
    r"^func \(a \*HorizontalController\) reconcileAutoscaler\(hpa (\*?)(\w+)\.HorizontalPodAutoscaler\) error \{$"
)
RECONCILING = r"""var Reconciling func(key string) func(error)

func (a *HorizontalController) reconcileAutoscaler(hpa \1\2.HorizontalPodAutoscaler) (err error) {
	done := Reconciling(hpa.Namespace + "/" + hpa.Name)
	defer func() {
		if r := recover(); r != nil {
			done(fmt.Errorf("panic: %v", r))
			panic(r)
		}
		done(err)
	}()
	return a.reconcileAutoscalerReally(hpa)
}

func (a *HorizontalController) reconcileAutoscalerReally(hpa \1\2.HorizontalPodAutoscaler) error {"""
"""Reconciling is told when a reconcile begins; what it gives is told when it ends, and with which error."""

BUBBLE_LOCK = """package cache

import (
	"runtime"
	"sync"
)

type bubbleLock struct {
	once sync.Once
	held chan struct{}
}

func (l *bubbleLock) Lock() {
	l.once.Do(func() { l.held = make(chan struct{}, 1) })
	l.held <- struct{}{}
}
func (l *bubbleLock) Unlock()  { <-l.held }
func (l *bubbleLock) RLock()   { l.Lock() }
func (l *bubbleLock) RUnlock() { l.Unlock() }

func endLoop() { runtime.Goexit() }

// End makes whoever pops from this queue stop.
func (f *DeltaFIFO) End() {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.Closed = true
	f.cond.Broadcast()
}
"""

if __name__ == "__main__":
    main()
