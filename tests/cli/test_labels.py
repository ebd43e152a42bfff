"""`-l` chooses HPAs by the labels that each had last, by kubectl's rules, on every command that takes `-n`."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.errors import BadOption, UnknownHpa
from hpaaudit.flows.chosen_hpas import chosen_by_labels
from hpaaudit.flows.query import query, replayed_labels
from hpaaudit.flows.replay import replay
from hpaaudit.flows.source import open_file
from hpaaudit.model.facts import Fact, HpaSeen
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.writing.writer import Writer
from hpaaudit.results import sql
from hpaaudit.results.answer import Answer
from tests.cli.run import printed, run
from tests.cli.test_completion import completed
from tests.cluster.selectors import matches
from tests.recordings.kept import RECORDINGS

ESCAPE = "\x1b]0;owned\x07\x9b2J\u202e"
LABELS: Mapping[str, Mapping[str, str]] = {
    "shop/checkout": {"team": "shop", "tier": "web"},
    "shop/cart": {"team": "shop"},
    "bank/checkout": {"team": "bank", "n": "7"},
    "bank/odd": {"team": ESCAPE * 40},
    "bank/bare": {},
}
"""The last labels of each HPA. `shop/cart` had another team before."""


def labelled(folder: Path) -> Path:
    """The recording of a real HPA, told of several HPAs with labels. They changed when nothing else of the HPA did."""
    hand = open_recording(RECORDINGS["scaled-by-hand"])
    facts: list[Fact] = []
    for fact in hand.facts():
        if isinstance(fact, HpaSeen):
            is_first = not any(isinstance(one, HpaSeen) for one in facts)
            for key, labels in LABELS.items():
                namespace, name = key.split("/")
                own = replace(fact, namespace=namespace, name=name, uid=f"uid of '{key}'")
                if is_first and key == "shop/cart":
                    facts.append(replace(own, labels_json='{"team":"bank","tier":"web"}'))
                facts.append(replace(own, labels_json=json.dumps(labels)))
        else:
            facts.append(fact)
    with Writer(folder, source="record", cluster="here", started_us=hand.info.started_us) as writer:
        for number, fact in enumerate(facts):
            writer.add(fact)
            if number == len(facts) // 2:
                writer.seal()
    return folder


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the recording `labelled`, which was replayed, and `old`, made by version 0.1.0."""
    folder = tmp_path_factory.mktemp("labels")
    labelled(folder / "labelled")
    (folder / "old").symlink_to(RECORDINGS["scaled-by-hand"])
    replay(folder / "labelled").close()
    replay(folder / "old", into=folder / "old.duckdb").close()
    return folder


@pytest.fixture
def at_desk(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That folder is the current one."""
    monkeypatch.chdir(here)
    monkeypatch.setenv("COLUMNS", "80")
    return here


def chosen(selector: str) -> list[str]:
    """The HPAs that a selector means, by an evaluator of its own."""
    return sorted(name for name, labels in LABELS.items() if matches(selector, dict(labels)))


KEYS = st.sampled_from(["team", "tier", "example.com/app"])
VALUES = st.sampled_from(["shop", "bank", "web", ""])
LABEL_SETS = st.dictionaries(KEYS, VALUES, max_size=3)
REQUIREMENTS = (
    st.tuples(KEYS, st.sampled_from(["=", "==", "!="]), VALUES).map("".join)
    | st.tuples(KEYS, st.sampled_from(["in", "notin"]), st.lists(VALUES, min_size=1, max_size=3)).map(
        lambda parts: f"{parts[0]} {parts[1]} ({','.join(parts[2])})"
    )
    | KEYS
    | KEYS.map("!{}".format)
)
SELECTORS = st.lists(REQUIREMENTS, min_size=1, max_size=3).map(",".join)


@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@given(st.dictionaries(st.from_regex("[a-c]/[a-c]", fullmatch=True), st.none() | LABEL_SETS, max_size=5), SELECTORS)
def test_a_selector_chooses_what_kubectl_would_list(labels: dict[str, dict[str, str] | None], selector: str) -> None:
    recorded = {name: None if one is None else json.dumps(one) for name, one in labels.items()}
    known = {name: one for name, one in labels.items() if one is not None}
    expected = {name for name, one in known.items() if matches(selector, one)}
    if labels and not known:
        with pytest.raises(BadOption, match="this recording keeps no labels of HPAs"):
            chosen_by_labels(selector, recorded, "this recording")
    elif not expected:
        with pytest.raises(UnknownHpa, match="no HPA in this recording has labels that match"):
            chosen_by_labels(selector, recorded, "this recording")
    else:
        answer = chosen_by_labels(selector, recorded, "this recording")
        assert answer.names == expected
        assert set(answer.unlabelled) == labels.keys() - known.keys()


@settings(max_examples=20, deadline=None, derandomize=True, database=None)
@given(selector=SELECTORS)
def test_every_relation_about_hpas_has_the_rows_of_those_alone(here: Path, selector: str) -> None:
    with open_file(here / "labelled" / "results.duckdb") as whole:
        if not chosen(selector):
            with pytest.raises(UnknownHpa):
                query(here / "labelled", "from hpas", selector=selector)
            return
        for relation in ("hpas", "reconciles", "comparisons", "changes", "divergences", "hpa_specs", "agreement"):
            expected = [
                row
                for row in Answer(whole, whole.sql(f"from {relation}"))
                if f"{row['namespace']}/{row['name']}" in chosen(selector)
            ]
            with query(here / "labelled", f"from {relation}", selector=selector) as answer:
                assert sorted(map(repr, answer.rows())) == sorted(repr(tuple(row.values())) for row in expected)


SHOWN = ["team=shop", "!team", "team!=shop", "tier in (web)", "n>3"]


@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize("selector", SHOWN)
def test_the_commands_show_the_hpas_that_match(selector: str) -> None:
    expected = ["bank/checkout"] if selector == "n>3" else chosen(selector)
    assert expected not in ([], sorted(LABELS))
    shown = sorted(printed(f"hpaaudit replay labelled -q -o name -l '{selector}'").splitlines())
    assert shown == expected
    listed = printed(f"hpaaudit query labelled how_well_does_it_agree -o name -l '{selector}'")
    assert sorted(listed.splitlines()) == expected
    for command in ("explain", "timeline"):
        assert printed(f"hpaaudit {command} labelled -o name -l '{selector}'").strip() in expected
    printed(f"hpaaudit report labelled -o junit --into page.xml --overwrite -q -l '{selector}'")
    cases = ET.fromstring(Path("page.xml").read_text("utf-8")).iter("testcase")  # noqa: S314 our own
    assert sorted(f"{case.get('classname')}/{case.get('name')}" for case in cases) == expected


@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize(
    "line",
    [
        "replay labelled -q -o name -l team=shop -n shop",
        "replay labelled -q -o name -n shop --selector=team",
        "-l team=shop replay labelled -q -o name",
        "replay labelled -q -o name -lteam=shop -A",
        "replay labelled -q -o name --hpa cart --hpa shop/checkout -l team=shop",
        "replay labelled -q -o name -n shop -l ''",
        "replay labelled -q -o name -n shop",
        "query labelled how_well_does_it_agree -o name -l team=shop -n shop",
        "query labelled 'from hpas where namespace || chr(47) || name like $hpa' -o name -l team=shop -n shop",
    ],
)
def test_labels_and_names_narrow_together(line: str) -> None:
    assert sorted(printed(f"hpaaudit {line}").split()) == ["shop/cart", "shop/checkout"]


OLD = "keeps no labels of HPAs (earlier recorders did not): choose with --hpa in place of --selector"
MATCH = "has labels that match"


@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("replay old --into x.duckdb -l team=shop", f"this recording {OLD}"),
        ("query old.duckdb how_well_does_it_agree -l team=shop", f"old.duckdb {OLD}"),
        ("explain old.duckdb -l team=shop", f"old.duckdb {OLD}"),
        ("timeline old.duckdb -l team=shop", f"old.duckdb {OLD}"),
        ("replay labelled -l team=web", f"no HPA in this recording {MATCH} 'team=web': they have team="),
        ("replay labelled -l color", f"no HPA in this recording {MATCH} 'color': they have the labels n, team, tier"),
        (
            "replay labelled -n shop -l team=bank",
            f"no HPA 'shop/*' in this recording {MATCH} 'team=bank': they have team=shop",
        ),
        (
            "explain labelled bank/checkout -l tier",
            "no HPA 'bank/checkout' with these labels in labelled/results.duckdb",
        ),
        (
            "replay labelled -l a=b=c",
            "Invalid value for '-l' / '--selector': found '=', expected: ',' or 'end of string'",
        ),
        ("record --plan -l 'tier in web'", "unable to parse requirement: found 'web' expected: '('"),
        ("query labelled 'from hpas' -l 'team in'", "unable to parse requirement: found '' expected: '('"),
        ("query labelled -l team", "--selector needs a question or SQL"),
        ("query labelled what_happened --columns -l team", "--selector cannot be used with --columns"),
        ("query labelled did_the_controller_restart -l team", "did_the_controller_restart does not use --selector"),
        ("query labelled 'select 1' -l team", "this SQL does not use --selector"),
        ("replay labelled --declare -l team", "leave out --into, --hpa, --selector, --since and --until"),
        ("report old.duckdb --into x.html -l team", "give the recording to --hpa, --selector, --since and --until"),
    ],
)
def test_what_cannot_be_chosen_is_said_in_a_line(line: str, message: str) -> None:
    code, out, err = run(f"hpaaudit {line}")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert len(err) < 600
    assert err.strip().isprintable()


@pytest.mark.usefixtures("at_desk")
def test_an_hpa_without_recorded_labels_is_left_out_with_a_word(tmp_path: Path) -> None:
    recording = open_recording(Path("labelled"))
    with Writer(tmp_path / "mixed", source="record", started_us=recording.info.started_us) as writer:
        for fact in recording.facts():
            is_old = isinstance(fact, HpaSeen) and fact.namespace == "bank"
            writer.add(replace(fact, labels_json=None) if is_old else fact)  # type: ignore[type-var]
    said = "--selector leaves out 3 HPAs without recorded labels: bank/bare, bank/checkout, bank/odd\n"
    for line in (f"replay {tmp_path}/mixed -o name", f"query {tmp_path}/mixed how_well_does_it_agree -o name"):
        code, out, err = run(f"hpaaudit {line} -l team!=bank")
        assert (code, sorted(out.split())) == (0, ["shop/cart", "shop/checkout"])
        assert err.count(said) == 1


@pytest.mark.usefixtures("at_desk")
def test_the_results_know_the_last_labels_by_either_engine(tmp_path: Path) -> None:
    for detail in ("numbers", "moved"):
        with replay("labelled", into=tmp_path / f"{detail}.duckdb", detail=detail) as results:
            rows = results.rows("select namespace || '/' || name as hpa, labels::varchar as labels, is_asked from hpas")
            assert {row["hpa"]: json.loads(row["labels"]) for row in rows} == LABELS
            assert {row["is_asked"] for row in rows} == {True}
    with replay("labelled", into=tmp_path / "part.duckdb", selector="tier") as results:
        asked = results.rows("select namespace || '/' || name as hpa from hpas where is_asked")
        assert asked == [{"hpa": "shop/checkout"}]
        assert results.rows("select options from replays") == [{"options": "--selector tier"}]


@pytest.mark.usefixtures("at_desk")
def test_a_results_file_that_knows_no_labels_says_so(tmp_path: Path) -> None:
    """Version 0.1.0 wrote no such column."""
    older = tmp_path / "older.duckdb"
    replay("labelled", into=older).close()
    with duckdb.connect(str(older)) as connection:
        for view in connection.execute("select view_name from duckdb_views() where not internal").fetchall():
            connection.execute(f'drop view if exists main."{view[0]}"')
        connection.execute("alter table runs.hpas drop column labels")
        connection.execute("alter table runs.hpas drop column is_asked")
    assert run(f"hpaaudit query {older} 'from hpas' -l team")[2].endswith(f"\nError: {older} {OLD}\n")
    assert len(printed(f"hpaaudit query {older} how_well_does_it_agree -o name").split()) == len(LABELS)


@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize("options", ["", "-l tier", "-l team=shop", "-n bank", "-n shop -l tier=web", "--hpa 'shop/*'"])
def test_inspect_lists_the_hpas_that_a_replay_shows(options: str) -> None:
    listed = printed(f"hpaaudit inspect labelled {options} -o name").splitlines()
    assert sorted(listed) == sorted(printed(f"hpaaudit replay labelled -q {options} -o name").splitlines()) != []
    some = f"{len(listed)} of " if len(listed) < len(LABELS) else ""
    assert f"\n  {some}{len(LABELS)} HPAs, " in printed(f"hpaaudit inspect labelled {options}")


@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize("odd", ["[1]", '"x"', "null", '{"team": 5}', '{"team": null}', '{"team": ["a"]}'])
def test_labels_of_a_strange_results_file_are_refused_in_one_line(odd: str, tmp_path: Path) -> None:
    strange = tmp_path / "strange.duckdb"
    replay("labelled", into=strange).close()
    with duckdb.connect(str(strange)) as connection:
        connection.execute("update runs.hpas set labels = ?", [odd])
    for command in (f"query {strange} 'from hpas' -l team", f"timeline {strange} -l team"):
        said = run(f"hpaaudit {command}")[2].splitlines()[-1]
        assert said.startswith(f"Error: {strange} holds no labels of ")
        assert said.endswith(" that can be read: choose with --hpa in place of --selector")
    with pytest.raises(BadOption, match="no labels of"):
        replayed_labels(strange)


@pytest.mark.usefixtures("at_desk")
def test_labels_are_completed_after_the_last_comma() -> None:
    assert completed("explain", "labelled", "-l", incomplete="ti") == ["tier=web"]
    assert completed("query", "labelled", "-l", incomplete="team=s") == ["team=shop"]
    assert completed("timeline", "labelled", "-l", incomplete="!n,tier=") == ["!n,tier=web"]
    assert completed("explain", "nowhere", "-l") == []


@pytest.mark.usefixtures("at_desk")
def test_a_hostile_label_does_nothing_on_a_screen() -> None:
    for line in (
        "query labelled 'select name, labels from hpas' -o wide",
        "replay labelled -l team=none",
        "explain labelled -l team -n bank",
    ):
        _, out, err = run(f"hpaaudit {line}")
        assert all(character.isprintable() or character == "\n" for character in out + err), line


def test_the_relations_about_hpas_are_those_with_rows_of_one_hpa_each() -> None:
    assert {"hpas", "k8s_events", "reconciles", "interruptions", "hpa_pods"} <= sql.of_hpas()
    assert not {"pods", "controller_epochs", "recordings", "gap_time", "metric_samples"} & sql.of_hpas()
