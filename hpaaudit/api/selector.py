"""Label selectors: the grammar of a selector's text, its canonical print, and what it matches."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from hpaaudit.api.names import MAX_LABEL, NAME, VALUE_FORM, qualified_name_errors
from hpaaudit.model.hpa import LabelSelector

_NUMBER = re.compile(r"[+-]?0{0,63}\d{1,19}", re.ASCII)  # more digits are beyond 64 bits, or are no label
_INT64 = 2**63
_SPECIAL = "=!(),<>"


class BadSelector(ValueError):
    """A selector that Kubernetes refuses; the text is Kubernetes' own.

    old       the words of 1.15 to 1.20, which have only the first error;  oldest   those before
    """

    def __init__(self, text: str, old: str = "", oldest: str = "") -> None:
        super().__init__(text)
        self.old = old or text
        self.oldest = oldest or self.old

    def under(self, prefix: str) -> "BadSelector":
        """The same error with a prefix."""
        return BadSelector(f"{prefix}: {self}", f"{prefix}: {self.old}", f"{prefix}: {self.oldest}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One requirement of a parsed selector; operator one of = == != in notin exists ! gt lt."""

    key: str
    operator: str
    values: tuple[str, ...]

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether these labels meet the requirement; `!=` and `notin` hold where the key is absent."""
        value = labels.get(self.key)
        match self.operator:
            case "=" | "==" | "in":
                return value is not None and value in self.values
            case "!=" | "notin":
                return value is None or value not in self.values
            case "exists":
                return value is not None
            case "!":
                return value is None
        number, bound = _int64(value or ""), int(self.values[0])
        return number is not None and (number > bound if self.operator == "gt" else number < bound)

    def __str__(self) -> str:
        match self.operator:
            case "exists":
                return self.key
            case "!":
                return f"!{self.key}"
            case "in" | "notin":
                return f"{self.key} {self.operator} ({','.join(sorted(self.values))})"
            case "gt":
                return f"{self.key}>{self.values[0]}"
            case "lt":
                return f"{self.key}<{self.values[0]}"
        return f"{self.key}{self.operator}{self.values[0]}"


@dataclass(frozen=True, slots=True)
class Selector:
    """A parsed selector, sorted by key; without terms it matches everything."""

    terms: tuple[Term, ...]

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether all terms hold."""
        return all(term.matches(labels) for term in self.terms)

    def matches_pairs(self, labels: tuple[tuple[str, str], ...]) -> bool:
        """The same for labels as pairs; equalities, which nearly all selectors are made of, need no dictionary."""
        pairs = equalities(self)
        return self.matches(dict(labels)) if pairs is None else all(pair in labels for pair in pairs)

    def __str__(self) -> str:
        return ",".join(str(term) for term in self.terms)


@lru_cache(maxsize=8192)
def equalities(selector: Selector) -> tuple[tuple[str, str], ...] | None:
    """The pairs that a selector of equalities asks for; None for any other selector."""
    if all(term.operator in ("=", "==") for term in selector.terms):
        return tuple((term.key, term.values[0]) for term in selector.terms)
    return None


def _int64(text: str) -> int | None:
    """The number that Go's `ParseInt` reads; None if it reads none."""
    number = int(text) if _NUMBER.fullmatch(text) else None
    return number if number is not None and -_INT64 <= number < _INT64 else None


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _value_errors(value: str) -> list[str]:
    errors = []
    if len(value) > MAX_LABEL:
        errors.append(f"must be no more than {MAX_LABEL} bytes")
    if value and not NAME.fullmatch(value):
        errors.append(VALUE_FORM)
    return errors


def _aggregate(errors: list[str]) -> str:
    return errors[0] if len(errors) == 1 else "[" + ", ".join(errors) + "]"


def _term(key: str, operator: str, values: tuple[str, ...]) -> Term:
    """A requirement as upstream's `NewRequirement` validates it."""
    errors: list[str] = []
    old: list[str] = []
    oldest: list[str] = []
    if wrong := qualified_name_errors(key):
        errors.append(f"key: Invalid value: {_quoted(key)}: {'; '.join(wrong)}")
        old.append(f"invalid label key {_quoted(key)}: {'; '.join(wrong)}")
        oldest.append(old[-1])
    if operator in ("in", "notin") and not values:
        errors.append("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty")
    if operator in ("gt", "lt"):
        errors += [
            f"values[0]: Invalid value: {_quoted(value)}: for 'Gt', 'Lt' operators, the value must be an integer"
            for value in values
            if _int64(value) is None
        ]
    for index, value in enumerate(values):
        value_errors = _value_errors(value)
        if value_errors:
            hint = "; ".join(value_errors)
            errors.append(f"values[{index}][{key}]: Invalid value: {_quoted(value)}: {hint}")
            old.append(f"invalid label value: {_quoted(value)}: at key: {_quoted(key)}: {hint}")
            oldest.append(f"invalid label value: {_quoted(value)}: {hint}")
    if errors:
        raise BadSelector(_aggregate(errors), (old or errors)[0], (oldest or errors)[0])
    return Term(key=key, operator=operator, values=values)


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    position = 0
    while position < len(text):
        char = text[position]
        if char.isspace():
            position += 1
        elif char in _SPECIAL:
            pair = text[position : position + 2]
            token = pair if pair in ("==", "!=") else char
            tokens.append(token)
            position += len(token)
        else:
            end = position
            while end < len(text) and not text[end].isspace() and text[end] not in _SPECIAL:
                end += 1
            tokens.append(text[position:end])
            position = end
    return tokens


class _Parser:
    """A recursive descent over the tokens; upstream's look-ahead and its error texts."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.position = 0

    def peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def next(self) -> str:
        token = self.peek()
        self.position += 1
        return token

    def selector(self) -> list[Term]:
        terms: list[Term] = []
        while True:
            token = self.peek()
            if not token and not terms:
                return terms
            if token != "!" and not _is_word(token):
                raise BadSelector(f"found '{token}', expected: !, identifier, or 'end of string'")
            try:
                terms.append(self.requirement())
            except BadSelector as error:
                raise error.under("unable to parse requirement") from None
            token = self.next()
            if not token:
                return terms
            if token != ",":
                raise BadSelector(f"found '{token}', expected: ',' or 'end of string'")
            following = self.peek()
            if following != "!" and not _is_word(following):
                raise BadSelector(f"found '{following}', expected: identifier after ','")

    def requirement(self) -> Term:
        token = self.next()
        negated = token == "!"
        if negated:
            token = self.next()
        if not _is_word(token):
            raise BadSelector(f"found '{token}', expected: identifier")
        if errors := qualified_name_errors(token):
            raise BadSelector(f"<nil>: Invalid value: {_quoted(token)}: {'; '.join(errors)}")
        if negated:
            return _term(token, "!", ())
        if self.peek() in ("", ","):
            return _term(token, "exists", ())
        operator = self.next()
        match operator:
            case "in" | "notin":
                return _term(token, operator, self.values())
            case "=" | "==" | "!=" | ">" | "<":
                value = self.exact()
                return _term(token, {">": "gt", "<": "lt"}.get(operator, operator), (value,))
        strange = f"found '{operator}', expected:"
        raise BadSelector(f"{strange} in, notin, =, ==, !=, gt, lt", f"{strange} '=', '!=', '==', 'in', notin'")

    def exact(self) -> str:
        if self.peek() in ("", ","):
            return ""
        token = self.next()
        if not _is_word(token):
            raise BadSelector(f"found '{token}', expected: identifier")
        return token

    def values(self) -> tuple[str, ...]:
        token = self.next()
        if token != "(":
            raise BadSelector(f"found '{token}' expected: '('")
        values: list[str] = []
        while True:
            token = self.next()
            if _is_word(token):
                values.append(token)
                token = self.next()
                if token == ")":
                    return tuple(sorted(set(values)))
                if token != ",":
                    raise BadSelector(f"found '{token}', expected: ',' or ')'")
                if self.peek() == ")":
                    values.append("")
            elif token in (",", ")"):
                values.append("")
                if token == ")":
                    return tuple(sorted(set(values)))
            else:
                raise BadSelector(f"found '{token}', expected: ',', ')' or identifier")


def _is_word(token: str) -> bool:
    return bool(token) and token[0] not in _SPECIAL


@lru_cache(maxsize=8192)
def parse(text: str) -> Selector:
    """A selector's text; BadSelector with Kubernetes' words otherwise."""
    terms = _Parser(text).selector()
    return Selector(tuple(sorted(terms, key=lambda term: term.key)))


_METAV1 = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}


@lru_cache(maxsize=8192)
def from_label_selector(selector: LabelSelector | None) -> Selector:
    """A `metav1.LabelSelector`, as a metric's selector is converted for its request.

    None converts to a selector that matches nothing and prints as nothing: on the wire it filters
    nothing. BadSelector with Kubernetes' words where a requirement is not valid.
    """
    if selector is None:
        return Selector(())
    terms = [_term(key, "=", (value,)) for key, value in selector.match_labels]
    for expression in selector.match_expressions:
        operator = _METAV1.get(expression.operator)
        if operator is None:
            raise BadSelector(f'"{expression.operator}" is not a valid label selector operator')
        terms.append(_term(expression.key, operator, expression.values))
    return Selector(tuple(sorted(terms, key=lambda term: term.key)))


@lru_cache(maxsize=8192)
def scale_selector(text: str) -> Selector:
    """The selector of a scale as upstream's scale client hands it on.

    The client goes through a `metav1.LabelSelector` and so refuses operators that the text's grammar
    knows (`!=`, `>`, `<`): the whole scale is then unreadable. Printed again, `==` becomes `=`.
    """
    try:
        parsed = parse(text)
    except BadSelector as error:
        raise error.under(f"couldn't parse the selector string {_quoted(text)}") from None
    equals: dict[str, Term] = {}
    others: list[Term] = []
    for term in parsed.terms:
        match term.operator:
            case "=" | "==":
                # A map of labels: of two values for one key the last one stays.
                equals[term.key] = Term(key=term.key, operator="=", values=term.values)
            case "gt" | "lt":
                raise BadSelector(f'"{term.operator}" isn\'t supported in label selectors')
            case "!=":
                raise BadSelector('"!=" is not a valid label selector operator')
            case _:
                others.append(term)
    return Selector(tuple(sorted([*equals.values(), *others], key=lambda term: term.key)))


@lru_cache(maxsize=8192)
def _go_map(pairs: tuple[tuple[str, str], ...]) -> str:
    return "map[string]string{" + "".join(f"{key}: {value}," for key, value in sorted(pairs)) + "}"


def go_print(selector: LabelSelector | None, *, typed: bool = True) -> str:
    """How Go prints the selector's struct, as in the name of an external metric.

    typed   requirements with their type, as since 1.16; before as `[{queue In [a b]}]`
    """
    if selector is None:
        return "nil"
    labels = _go_map(selector.match_labels)
    if not typed:
        plain = " ".join(f"{{{e.key} {e.operator} [{' '.join(e.values)}]}}" for e in selector.match_expressions)
        return f"&LabelSelector{{MatchLabels:{labels},MatchExpressions:[{plain}],}}"
    expressions = "".join(
        f"LabelSelectorRequirement{{Key:{e.key},Operator:{e.operator},Values:[{' '.join(e.values)}],}},"
        for e in selector.match_expressions
    )
    return f"&LabelSelector{{MatchLabels:{labels},MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
