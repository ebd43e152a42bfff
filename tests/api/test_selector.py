"""Label selectors: what a text means, how it is printed, which labels it matches, why it is refused."""

import pytest

from hpaaudit.api import selector
from hpaaudit.model.hpa import LabelSelector, Requirement

LABELS: list[dict[str, str]] = [
    {"app": "web", "tier": "fe"},
    {"app": "api"},
    {"tier": "fe"},
    {},
    {"app": "", "n": "5"},
    {"n": "12"},
]
LONG = "a" * 64

EXECUTED: list[tuple[str, str, str]] = [
    # text, printed, which of LABELS it matches
    ("", "", "xxxxxx"),
    ("app=web", "app=web", "x....."),
    ("app==web", "app==web", "x....."),
    (" app = web ", "app=web", "x....."),
    ("app!=web", "app!=web", ".xxxxx"),
    ("app=web,tier!=db", "app=web,tier!=db", "x....."),
    ("app in (web,api)", "app in (api,web)", "xx...."),
    ("app in (api , web)", "app in (api,web)", "xx...."),
    ("app in (web)", "app in (web)", "x....."),
    ("app notin (web,api)", "app notin (api,web)", "..xxxx"),
    ("app notin (web)", "app notin (web)", ".xxxxx"),
    ("app", "app", "xx..x."),
    ("!app", "!app", "..xx.x"),
    ("! app", "!app", "..xx.x"),
    ("app,!canary", "app,!canary", "xx..x."),
    ("app=", "app=", "....x."),
    ("app in ()", "app in ()", "....x."),
    ("app in (,)", "app in ()", "....x."),
    ("app in (a,)", "app in (,a)", "....x."),
    ("x/y=z", "x/y=z", "......"),
    ("example.com/app=web", "example.com/app=web", "......"),
    ("n>3", "n>3", "....xx"),
    ("n<10", "n<10", "....x."),
    ("n>3,n<10", "n>3,n<10", "....x."),
    ("app=a,app=b", "app=a,app=b", "......"),
    ("app=a,app!=b", "app=a,app!=b", "......"),
    ("in=x", "in=x", "......"),
    ("notin=x", "notin=x", "......"),
    ("in in (in)", "in in (in)", "......"),
    ("app=Web_1.2-3", "app=Web_1.2-3", "......"),
    ("a.b-c_d=e", "a.b-c_d=e", "......"),
    ("b=1,a=2", "a=2,b=1", "......"),
    ("z in (c,b,a),a", "a,z in (a,b,c)", "......"),
]

REFUSED: list[tuple[str, str]] = [
    # text, how Kubernetes' words begin
    ("app=web,", "found '', expected: identifier after ','"),
    (",app=web", "found ',', expected: !, identifier, or 'end of string'"),
    ("app=web,,tier=db", "found ',', expected: identifier after ','"),
    ("app web", "unable to parse requirement: found 'web', expected: in, notin, =, ==, !=, gt, lt"),
    ("app=web tier=db", "found 'tier', expected: ',' or 'end of string'"),
    ("!app=web", "found '=', expected: ',' or 'end of string'"),
    ("app>=3", "unable to parse requirement: found '=', expected: identifier"),
    (
        "app>abc",
        (
            'unable to parse requirement: values[0]: Invalid value: "abc": '
            "for 'Gt', 'Lt' operators, the value must be an integer"
        ),
    ),
    ("n>9223372036854775808", 'unable to parse requirement: values[0]: Invalid value: "9223372036854775808": for '),
    ("app In (web)", "unable to parse requirement: found 'In', expected: in, notin, =, ==, !=, gt, lt"),
    ("app=-bad", 'unable to parse requirement: values[0][app]: Invalid value: "-bad"'),
    ("app=bad-", 'unable to parse requirement: values[0][app]: Invalid value: "bad-"'),
    ("app=a b", "found 'b', expected: ',' or 'end of string'"),
    ("app=(a)", "unable to parse requirement: found '(', expected: identifier"),
    ("(app=a)", "found '(', expected: !, identifier, or 'end of string'"),
    ("=web", "found '=', expected: !, identifier, or 'end of string'"),
    ("app!web", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"),
    ('app=="web"', 'unable to parse requirement: values[0][app]: Invalid value: "\\"web\\""'),
    ("/x=y", 'unable to parse requirement: <nil>: Invalid value: "/x": prefix part must be non-empty'),
    ("x/=y", 'unable to parse requirement: <nil>: Invalid value: "x/": name part must be non-empty'),
    ("UP/x=y", 'unable to parse requirement: <nil>: Invalid value: "UP/x":'),
    (
        LONG + "=b",
        f'unable to parse requirement: <nil>: Invalid value: "{LONG}": name part must be no more than 63 bytes',
    ),
    (
        "app=" + LONG,
        f'unable to parse requirement: values[0][app]: Invalid value: "{LONG}": must be no more than 63 bytes',
    ),
]


@pytest.mark.parametrize(("text", "printed", "matched"), EXECUTED, ids=[repr(row[0]) for row in EXECUTED])
def test_a_selector_is_printed_sorted_and_matches(text: str, printed: str, matched: str) -> None:
    parsed = selector.parse(text)
    assert str(parsed) == printed
    assert "".join("x" if parsed.matches(labels) else "." for labels in LABELS) == matched


def test_a_label_that_is_no_number_of_64_bits_is_neither_more_nor_less() -> None:
    for number, matched in (("9223372036854775807", True), ("9223372036854775808", False), ("0" * 40 + "9", True)):
        assert selector.parse("n>8").matches({"n": number}) == matched
    for text in ("n>8", "n<8"):
        assert not selector.parse(text).matches({"n": "0" * 5000 + "x"})
        assert not selector.parse(text).matches({"n": "0" * 5000})


@pytest.mark.parametrize(("text", "words"), REFUSED, ids=[repr(row[0]) for row in REFUSED])
def test_what_is_no_selector_is_refused_in_kubernetes_words(text: str, words: str) -> None:
    with pytest.raises(selector.BadSelector) as refused:
        selector.parse(text)
    assert str(refused.value).startswith(words)


@pytest.mark.parametrize(
    ("text", "handed_on"),
    [
        ("app=web", "app=web"),
        ("app==web", "app=web"),
        (" app = web ", "app=web"),
        ("z in (c,b,a),a", "a,z in (a,b,c)"),
        ("!app", "!app"),
        ("b=1,a=2", "a=2,b=1"),
        ("app=a,app=b", "app=b"),
    ],
)
def test_a_scales_selector_is_printed_anew(text: str, handed_on: str) -> None:
    assert str(selector.scale_selector(text)) == handed_on


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("app!=other", '"!=" is not a valid label selector operator'),
        ("n>3", '"gt" isn\'t supported in label selectors'),
        ("n<3", '"lt" isn\'t supported in label selectors'),
        ("app=web,", "couldn't parse the selector string \"app=web,\": found '', expected: identifier after ','"),
    ],
)
def test_the_scale_client_refuses_more_than_the_grammar_does(text: str, words: str) -> None:
    with pytest.raises(selector.BadSelector) as refused:
        selector.scale_selector(text)
    assert str(refused.value) == words


def _labels(expressions: list[tuple[str, str, tuple[str, ...]]], **labels: str) -> LabelSelector:
    return LabelSelector(
        match_labels=tuple(sorted(labels.items())),
        match_expressions=tuple(Requirement(key=k, operator=o, values=v) for k, o, v in expressions),
    )


@pytest.mark.parametrize(
    ("label_selector", "printed"),
    [
        (None, ""),
        (_labels([]), ""),
        (_labels([], queue="orders"), "queue=orders"),
        (_labels([], b="1", a="2"), "a=2,b=1"),
        (_labels([("q", "In", ("b", "a"))]), "q in (a,b)"),
        (_labels([("q", "NotIn", ("a",))]), "q notin (a)"),
        (_labels([("q", "Exists", ()), ("p", "DoesNotExist", ())]), "!p,q"),
        (_labels([("a", "Exists", ())], a="1"), "a=1,a"),
    ],
)
def test_a_metrics_selector_becomes_the_text_of_its_request(label_selector: LabelSelector | None, printed: str) -> None:
    assert str(selector.from_label_selector(label_selector)) == printed


@pytest.mark.parametrize(
    ("label_selector", "words"),
    [
        (_labels([("q", "Gt", ("1",))]), '"Gt" is not a valid label selector operator'),
        (_labels([("q", "in", ("1",))]), '"in" is not a valid label selector operator'),
        (
            _labels([("q", "In", ())]),
            "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
        ),
        (_labels([("/q", "Exists", ())]), 'key: Invalid value: "/q": prefix part must be non-empty'),
        (_labels([], path="/"), 'values[0][path]: Invalid value: "/": a valid label must be an empty string'),
    ],
)
def test_a_metrics_selector_may_be_refused(label_selector: LabelSelector, words: str) -> None:
    with pytest.raises(selector.BadSelector) as refused:
        selector.from_label_selector(label_selector)
    assert str(refused.value).startswith(words)


@pytest.mark.parametrize(
    ("label_selector", "printed"),
    [
        (None, "nil"),
        (_labels([]), "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}"),
        (
            _labels([("q", "In", ("a", "b"))], b="1", a="2"),
            (
                "&LabelSelector{MatchLabels:map[string]string{a: 2,b: 1,},MatchExpressions:[]LabelSelectorRequirement"
                "{LabelSelectorRequirement{Key:q,Operator:In,Values:[a b],},},}"
            ),
        ),
    ],
)
def test_go_prints_a_selector_in_the_name_of_an_external_metric(
    label_selector: LabelSelector | None, printed: str
) -> None:
    assert selector.go_print(label_selector) == printed
