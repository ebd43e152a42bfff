"""The command `record`."""

from pathlib import Path

import click
from click.exceptions import Exit

from hpaaudit.cli.talk import JsonTalk, Talk
from hpaaudit.errors import AuditError

COULD_NOT = 2


class Seconds(click.ParamType[float]):
    """A length of time as Kubernetes writes it: `15s`, `1m30s`, `2h`."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds, more than none."""
        from hpaaudit.api.times import duration
        from hpaaudit.model.units import SECOND

        if isinstance(value, int | float):
            return float(value)
        try:
            seconds = duration(str(value)) / SECOND
        except ValueError as problem:
            self.fail(str(problem), param, ctx)
        if seconds <= 0:
            self.fail(f"{value!r} is not a length of time", param, ctx)
        return seconds


class Listen(click.ParamType[tuple[str, int]]):
    """Where to listen: `127.0.0.1:8080`, `[::1]:8080`; port 0 is one that is free."""

    name = "address:port"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        """Host and port."""
        host, colon, port = str(value).rpartition(":")
        host = host[1:-1] if host.startswith("[") and host.endswith("]") else host
        if not host or not colon or not (port.isascii() and port.isdigit()) or int(port) >= 1 << 16:
            self.fail(f"{value!r} is no address: give ADDRESS:PORT, for example 127.0.0.1:8080", param, ctx)
        return host, int(port)


class Bytes(click.ParamType[int]):
    """A number of bytes as Kubernetes writes it: `500M`, `10Gi`."""

    name = "bytes"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """More than none."""
        from hpaaudit.api.quantity import parse

        try:
            size = parse(str(value)).milli // 1000
        except ValueError as problem:
            self.fail(str(problem), param, ctx)
        if size <= 0:
            self.fail(f"{value!r} is no number of bytes", param, ctx)
        return size


class LabelKey(click.ParamType[str]):
    """The key of a label."""

    name = "label"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """As Kubernetes takes it."""
        from hpaaudit.api.selector import BadSelector, parse

        try:
            terms = parse(str(value)).terms
        except BadSelector as problem:
            self.fail(str(problem), param, ctx)
        if [term.operator for term in terms] != ["exists"]:
            self.fail(f"{value!r} is no key of a label", param, ctx)
        return str(value)


@click.command("record", short_help="Record the HPAs of a cluster.")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of the recording, new or one of this cluster, which goes on.",
)
@click.option("-n", "--namespace", metavar="NS", help="One namespace.  [default: the context's]")
@click.option("-A", "--all-namespaces", is_flag=True, help="All namespaces.")
@click.option("-l", "--selector", metavar="SELECTOR", default="", help="Only HPAs with these labels.")
@click.option("--context", metavar="C", help="A context of the kubeconfig.")
@click.option("--kubeconfig", type=click.Path(path_type=Path), metavar="FILE", help="Instead of $KUBECONFIG.")
@click.option("--interval", type=Seconds(), default="15s", show_default=True, help="Between two reads of a metric.")
@click.option(
    "--qps",
    type=click.FloatRange(min=1),
    metavar="N",
    default=20,
    show_default=True,
    help="Requests per second at most.",
)
@click.option("--for", "length", type=Seconds(), help="End after so long; without it Ctrl-C ends it.")
@click.option("--listen", type=Listen(), metavar="ADDRESS:PORT", help="Answer /healthz, /readyz and /metrics there.")
@click.option("--upload", metavar="URL", help="Copy whole segments to an object store: s3://bucket/prefix.")
@click.option(
    "--log",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What is said on stderr: for a person, or an object a line.",
)
@click.option(
    "--keep-days", type=click.FloatRange(min=0, min_open=True), metavar="N", help="Remove what is older, by the hour."
)
@click.option("--keep-bytes", type=Bytes(), metavar="SIZE", help="Remove the oldest beyond that much, as 10Gi.")
@click.option(
    "--keep-label",
    "keep_labels",
    type=LabelKey(),
    multiple=True,
    metavar="KEY",
    help="Record this label of pods too; again for more.  [default: those that selectors name]",
)
@click.option(
    "--no-probe",
    multiple=True,
    metavar="METRIC",
    help="Do not read this custom or external metric, whose reads cost; again for more.",
)
@click.option("--plan", is_flag=True, help="Say what would be read and what cannot be, and record nothing.")
def record_command(
    into: Path | None,
    namespace: str | None,
    all_namespaces: bool,
    selector: str,
    context: str | None,
    kubeconfig: Path | None,
    interval: float,
    qps: float,
    length: float | None,
    listen: tuple[str, int] | None,
    upload: str | None,
    log: str,
    keep_days: float | None,
    keep_bytes: int | None,
    keep_labels: tuple[str, ...],
    no_probe: tuple[str, ...],
    plan: bool,
) -> None:
    """Record the HPAs of a cluster, and all that decides what they do.

    It only reads, with the rights of the kubeconfig. Ctrl-C ends it; twice ends it at once. What was recorded more than
    5 s ago survives whatever kills it; the same command goes on in the same folder.

    Example: hpaaudit record --into friday -n shop --for 2h
    """
    from hpaaudit.flows.record import plan as make_plan
    from hpaaudit.flows.record import record

    if namespace and all_namespaces:
        raise click.UsageError("-n and -A exclude each other")
    if plan:
        from hpaaudit.report.plan import plan_text

        planned = make_plan(
            namespace=namespace,
            all_namespaces=all_namespaces,
            selector=selector,
            context=context,
            kubeconfig=kubeconfig,
            interval_seconds=interval,
            no_probe=no_probe,
        )
        click.echo(plan_text(planned), nl=False)
        return
    if into is None:
        raise click.UsageError("missing option --into DIR (or --plan)")
    talk = JsonTalk() if log == "json" else Talk()
    try:
        done = record(
            into,
            namespace=namespace,
            all_namespaces=all_namespaces,
            selector=selector,
            context=context,
            kubeconfig=kubeconfig,
            interval_seconds=interval,
            qps=qps,
            for_seconds=length,
            listen=listen,
            upload=upload,
            keep_days=keep_days,
            keep_bytes=keep_bytes,
            keep_labels=keep_labels,
            no_probe=no_probe,
            show=talk.show,
            note=talk.note,
        )
    except Exception as problem:
        if not isinstance(talk, JsonTalk):
            raise
        talk.fail(problem, known=isinstance(problem, AuditError))
        raise Exit(COULD_NOT) from None
    talk.end(done, into)
