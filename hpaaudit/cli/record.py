"""The command `record`."""

from pathlib import Path

import click
from click.exceptions import Exit

from hpaaudit.cli.options import selector_option
from hpaaudit.cli.recorder_log import JsonLog, TextLog
from hpaaudit.errors import AuditError

FAILED = 2


class Seconds(click.ParamType[float]):
    """A duration as Kubernetes writes it: `15s`, `1m30s`, `2h`."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The duration in seconds, more than 0."""
        from hpaaudit.api.times import duration
        from hpaaudit.model.units import SECOND

        if isinstance(value, int | float):
            return float(value)
        try:
            seconds = duration(str(value)) / SECOND
        except ValueError as problem:
            self.fail(str(problem), param, ctx)
        if seconds <= 0:
            self.fail(f"{value!r} is not a duration of more than 0 s", param, ctx)
        return seconds


class Listen(click.ParamType[tuple[str, int]]):
    """An address to listen on: `127.0.0.1:8080`, `[::1]:8080`. Port 0 takes any free port."""

    name = "address:port"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        """The host and the port."""
        host, colon, port = str(value).rpartition(":")
        host = host[1:-1] if host.startswith("[") and host.endswith("]") else host
        if not host or not colon or not (port.isascii() and port.isdigit()) or int(port) >= 1 << 16:
            self.fail(f"{value!r} is not an address: give ADDRESS:PORT, for example 127.0.0.1:8080", param, ctx)
        return host, int(port)


class Bytes(click.ParamType[int]):
    """A number of bytes as Kubernetes writes it: `500M`, `10Gi`."""

    name = "bytes"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes, more than 0."""
        from hpaaudit.api.quantity import parse

        try:
            size = parse(str(value)).milli // 1000
        except ValueError as problem:
            self.fail(str(problem), param, ctx)
        if size <= 0:
            self.fail(f"{value!r} is not a number of bytes", param, ctx)
        return size


class LabelKey(click.ParamType[str]):
    """A label key."""

    name = "label"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The label key, checked as Kubernetes checks it."""
        from hpaaudit.api.selector import BadSelector, parse

        try:
            terms = parse(str(value)).terms
        except BadSelector as problem:
            self.fail(str(problem), param, ctx)
        if [term.operator for term in terms] != ["exists"]:
            self.fail(f"{value!r} is not a label key", param, ctx)
        return str(value)


@click.command("record", short_help="Record the HPAs of a cluster.")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of the recording: a new one, or one of this cluster to continue.",
)
@click.option("-n", "--namespace", metavar="NS", help="Record one namespace.  [default: the context's]")
@click.option("-A", "--all-namespaces", is_flag=True, help="Record all namespaces.")
@selector_option("Record only HPAs with these labels.")
@click.option("--context", metavar="C", help="Use this context of the kubeconfig.")
@click.option(
    "--kubeconfig", type=click.Path(path_type=Path), metavar="FILE", help="Use this kubeconfig instead of $KUBECONFIG."
)
@click.option("--interval", type=Seconds(), default="15s", show_default=True, help="Read each metric this often.")
@click.option(
    "--qps",
    type=click.FloatRange(min=1),
    metavar="N",
    default=20,
    show_default=True,
    help="Send at most this many requests per second.",
)
@click.option("--for", "length", type=Seconds(), help="Stop after this time; without it, Ctrl-C stops it.")
@click.option("--listen", type=Listen(), metavar="ADDRESS:PORT", help="Serve /healthz, /readyz and /metrics there.")
@click.option("--upload", metavar="URL", help="Copy finished segments to an object store: s3://bucket/prefix.")
@click.option(
    "--log",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Log to stderr as text for a person, or as one JSON object per line.",
)
@click.option(
    "--keep-days",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="Remove data older than N days, once per hour.",
)
@click.option("--keep-bytes", type=Bytes(), metavar="SIZE", help="Remove the oldest data beyond this size, as 10Gi.")
@click.option(
    "--keep-label",
    "keep_labels",
    type=LabelKey(),
    multiple=True,
    metavar="KEY",
    help="Record this pod label too; repeatable.  [default: those that selectors name]",
)
@click.option(
    "--no-probe",
    multiple=True,
    metavar="METRIC",
    help="Do not read this custom or external metric, because each read costs money; repeatable.",
)
@click.option("--plan", is_flag=True, help="Show what would be read and what cannot be read, and record nothing.")
def record_command(  # noqa: PLR0913 click hands over every option
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
    """Record the HPAs of a cluster, and everything that their decisions depend on.

    It only reads, with the rights of the kubeconfig. Ctrl-C stops it, a second Ctrl-C stops it at once. What was
    recorded more than 5 s ago survives any crash. The same command continues in the same folder.

    Example: hpaaudit record --into friday -n shop --for 2h
    """
    from hpaaudit.flows.record import plan as make_plan
    from hpaaudit.flows.record import record

    if namespace and all_namespaces:
        raise click.UsageError("-n and -A exclude each other")
    if plan:
        from hpaaudit.report.recorder_plan import plan_text

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
    recorder_log = JsonLog() if log == "json" else TextLog()
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
            show=recorder_log.show,
            note=recorder_log.note,
        )
    except Exception as problem:
        if not isinstance(recorder_log, JsonLog):
            raise
        recorder_log.fail(problem, expected=isinstance(problem, AuditError))
        raise Exit(FAILED) from None
    recorder_log.end(done, into)
