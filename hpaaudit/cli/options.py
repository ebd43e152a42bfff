"""Options and arguments that several commands share: moments in time, HPAs, settings."""

import os
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TypeVar

import click
from click.shell_completion import CompletionItem

from hpaaudit.api.zone import use_zone
from hpaaudit.cli.completion import hpas, labels, landmarks, namespaces, recordings_and_results, zones
from hpaaudit.errors import BadOption
from hpaaudit.flows.moments import moment, moment_or_landmark
from hpaaudit.model.meant_hpas import is_kind

_LISTS = "wide lists everything that text only counts"

Parsed = TypeVar("Parsed")
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def by_click(parse: Callable[[str], Parsed]) -> Callable[[str], Parsed]:
    """The same parser for click, which says which option it refuses."""

    def parsed(text: str) -> Parsed:
        try:
            return parse(text)
        except BadOption as refused:
            raise click.BadParameter(str(refused)) from refused

    return parsed


def hpa_name(text: str) -> str:
    """Parses `NS/NAME`. A name alone passes: the error that follows suggests an HPA of that name."""
    if not all(text.split("/")) or text.count("/") > 1:
        raise click.BadParameter(f"{text!r} is not an HPA: give NS/NAME")
    return text


def named_hpa(hpa: str | None, namespace: str | None) -> str | None:
    """What a name and `-n` mean together: `namespace/name`, a pattern with `*`, a name alone, or None for all."""
    if not namespace:
        return hpa
    if hpa is not None:
        kind, _, name = hpa.partition("/")
        hpa = name if name and is_kind(kind) and kind != namespace else hpa
    if hpa is None or "/" not in hpa:
        return f"{namespace}/{hpa or '*'}"
    if hpa.partition("/")[0] != namespace:
        raise click.UsageError(f"-n {namespace} and {hpa} name two namespaces")
    return hpa


def hpa_named_by(words: Sequence[str]) -> str | None:
    """The HPA that the words of an argument name: `NS/NAME`, `NAME`, or with the kind before it as a word."""
    kind, name, *others = (*words, "", "")
    if name and is_kind(kind):
        return hpa_named_by([name, *filter(None, others)])
    if name:
        raise click.UsageError(f"Got unexpected extra argument ({name})")
    return kind or None


def named_once(argument: str | None, option: str | None) -> str | None:
    """The HPA that an argument or `--hpa` names; of `--hpa hpa NAME` the name. Raises UsageError if these are two."""
    if argument and option and is_kind(option):
        return argument
    if argument and option and argument != option:
        raise click.UsageError(f"{argument} and --hpa {option} name two HPAs")
    return argument or option


def hpas_named_by(words: Sequence[str]) -> tuple[str, ...]:
    """The HPAs that the words of an argument name, as `NS/NAME` or `NAME`; the kind may stand before them as a word."""
    return tuple(words[1:] if len(words) > 1 and is_kind(words[0]) else words)


def hpas_given(options: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """The HPAs that `--hpa` and the words of an argument name together; of `--hpa hpa NAME` the name."""
    return (*(hpa for hpa in options if not (words and is_kind(hpa))), *hpas_named_by(words))


def named_hpas(hpas: Sequence[str], namespace: str | None) -> list[str]:
    """The HPAs that `--hpa` and `-n` choose together; an empty list stands for all."""
    return [name for hpa in hpas or (None,) if (name := named_hpa(hpa, namespace))]


def hpas_options(complete: Complete | None = None) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The options `--hpa`, `-n`, `-A` and `-l` of commands that show several HPAs.

    complete   completes the names of HPAs
    """
    named = click.option(
        "--hpa",
        "hpas",
        metavar="NS/NAME",
        type=hpa_name,
        multiple=True,
        shell_complete=complete,
        help="Only this HPA; repeatable, * matches anything.",
    )
    return _all_of(named, namespace_option(), selector_option())


def hpas_argument(command: Callable[..., None]) -> Callable[..., None]:
    """HPAs as an argument, which the command gets with those of `--hpa`. As in kubectl: `hpa NAME`, `hpa/NAME`."""

    @click.argument("words", metavar="[NS/NAME]...", nargs=-1, type=hpa_name, shell_complete=hpas)
    @wraps(command)
    def with_hpas(*, words: tuple[str, ...], hpas: tuple[str, ...], **options: object) -> None:
        command(hpas=hpas_given(hpas, words), **options)

    return with_hpas


def narrowing_options(complete: Complete | None = None) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The options `--hpa`, `-n`, `-A`, `-l`, `--since` and `--until` of commands that show a part of a replay."""
    span = span_options(
        "Show no earlier reconcile; what came before still counts as evidence.",
        "Show no later reconcile; what came after still counts as evidence.",
    )
    return _all_of(hpas_options(complete), span)


def span_options(since: str, until: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The options `--since` and `--until`, each with its help."""
    return _all_of(moment_option("--since", since), moment_option("--until", until))


def _all_of(
    *options: Callable[[click.decorators.FC], click.decorators.FC],
) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """Several options as one decorator. The help lists them in this order."""

    def decorate(command: click.decorators.FC) -> click.decorators.FC:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def namespace_option() -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The options `-n` and `-A`, as in kubectl. What the command gets is the namespace, None for all."""

    def decorate(command: click.decorators.FC) -> click.decorators.FC:
        every = click.option(
            "-A",
            "--all-namespaces",
            "namespace",
            flag_value="",
            help="All namespaces.  [default]",
        )
        one = click.option(
            "-n",
            "--namespace",
            "namespace",
            metavar="NS",
            shell_complete=namespaces,
            help="Only HPAs of this namespace.",
        )
        return one(every(command))

    return decorate


def label_selector(text: str) -> str:
    """The text if it is a label selector, or empty. Raises BadParameter with the API server's own words."""
    if not text:  # the default of every command: the parser need not be imported
        return text
    from hpaaudit.api.selector import BadSelector, parse

    try:
        parse(text)
    except BadSelector as error:
        raise click.BadParameter(str(error)) from error
    return text


def selector_option(
    text: str = "Only HPAs whose labels match, as team=shop; the last recorded labels count.",
) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The option `-l`, as in kubectl. What the command gets is the selector's text, empty for all HPAs."""
    return click.option(
        "-l",
        "--selector",
        metavar="SELECTOR",
        default="",
        type=label_selector,
        shell_complete=labels,
        help=text,
    )


def message_options(
    silences: str = "Print no warnings.",
) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The options `-q` and `-v`: what the command says on stderr besides errors.

    silences   the help of `-q`
    """

    def decorate(command: click.decorators.FC) -> click.decorators.FC:
        quiet = click.option("-q", "--quiet", is_flag=True, help=silences)
        verbose = click.option("-v", "--verbose", is_flag=True, help="Print how long each step took.")
        return quiet(verbose(command))

    return decorate


def headings_option(
    text: str = "Print tables without their headings.",
) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The option `--no-headers`, which holds for every table that the command prints."""

    def use(context: click.Context, parameter: click.Parameter, is_given: bool) -> None:  # noqa: ARG001 click's signature
        if is_given:
            from hpaaudit.report.text_table import without_headings

            context.with_resource(without_headings())

    return click.option("--no-headers", is_flag=True, expose_value=False, callback=use, help=text)


def output_option() -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The option `-o` of commands that print text for people, or all fields for programs."""
    return click.option(
        "-o", "--output", type=click.Choice(("text", "json", "yaml")), default="text", show_default=True
    )


def output_option_of_many() -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The option `-o` of commands whose text shows the first of many things."""
    return output_option_with("name lists the HPAs")


def output_option_of_one() -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The option `-o` of commands that show one HPA."""
    return output_option_with("name is that of the HPA")


def output_option_with(
    names: str, *others: str, wide: str = _LISTS
) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The option `-o`: the formats of kubectl, and further ones of this command.

    names   what `name` prints, in words;  others   further formats;  wide   what `wide` prints, in words
    """
    return click.option(
        "-o",
        "--output",
        type=click.Choice(("text", "wide", "name", "json", "yaml", *others)),
        default="text",
        show_default=True,
        help=f"{wide}; {names}.",
    )


def one_hpa(command: Callable[..., None]) -> Callable[..., None]:
    """The HPA that a command is about: `NS/NAME` as an argument or by `--hpa`, with `-n`, `-A`, `-l` as in kubectl.

    The kind may stand before the name, as in kubectl: `hpa NAME`.
    """

    @click.argument("words", metavar="[NS/NAME]", nargs=-1, type=hpa_name, shell_complete=hpas)
    @click.option(
        "--hpa",
        "hpa_option",
        metavar="NS/NAME",
        type=hpa_name,
        shell_complete=hpas,
        help="The same as the argument NS/NAME.",
    )
    @namespace_option()
    @selector_option()
    @wraps(command)
    def with_hpa(*, words: tuple[str, ...], hpa_option: str | None, namespace: str | None, **options: object) -> None:
        command(hpa=named_hpa(named_once(hpa_named_by(words), hpa_option), namespace), **options)

    return with_hpa


def zone_option() -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The option `--tz`, which holds for every time that is read or shown."""

    def use(context: click.Context, parameter: click.Parameter, name: str | None) -> None:  # noqa: ARG001 click's signature
        from hpaaudit.cli.zone_names import zone_named, zone_of_environment

        if name is not None:
            try:
                use_zone(zone_named(name))
            except ValueError as unknown:
                from zoneinfo import available_timezones

                from hpaaudit.model.nearest import nearest

                near = nearest(name, sorted(available_timezones()), most=1, cutoff=0.9)
                why = f"there is no zone {name!r} here: did you mean {near[0]}?" if near else str(unknown)
                raise click.BadParameter(why) from unknown
            return
        try:
            zone_of_environment()
        except ValueError:
            # Not in the shell of `query`, whose commands have no parent: it has said so.
            if context.parent is not None and not context.resilient_parsing and not context.params.get("quiet"):
                from hpaaudit.cli.warn import warn

                warn(f"TZ={os.environ['TZ']} is no zone that is known here: times are UTC, --tz names another")

    return click.option(
        "--tz",
        metavar="ZONE",
        shell_complete=zones,
        expose_value=False,
        callback=use,
        help="Read and show times in this zone: Europe/Berlin, +02:00, or local; csv, json and yaml stay UTC.  "
        "[default: $TZ, else UTC]",
    )


def setting(text: str) -> tuple[str, str]:
    """Parses `NAME=VALUE`."""
    name, sign, value = text.partition("=")
    if not name or not sign:
        raise click.BadParameter(f"{text!r} is not a setting: give NAME=VALUE, for example tolerance=0.05")
    return name, value


def moment_option(name: str, text: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """An option that takes a moment."""
    return click.option(name, type=by_click(moment), metavar="TIME", help=text)


def at_option(text: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The option `--at`, which takes a moment or the name of one."""
    return click.option("--at", type=by_click(moment_or_landmark), metavar="TIME", shell_complete=landmarks, help=text)


def results_argument(*, required: bool = True) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """A results file, or a recording, which is replayed first if it has no results yet."""
    return click.argument(
        "source",
        metavar="RESULTS|DIR",
        required=required,
        type=click.Path(path_type=Path),
        shell_complete=recordings_and_results,
    )
