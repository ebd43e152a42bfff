"""The annotations of 1.2 to 1.5: one asks for custom metrics, the other publishes them."""

import json
from dataclasses import dataclass
from math import isfinite

from hpaaudit.api import quantity
from hpaaudit.engine.controller.metrics_client import Problem
from hpaaudit.model.units import Milli

_FAST_DIGITS = 18  # upstream's maxInt64Factors
_LARGEST = 2**63 - 1
_NO_QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


@dataclass(frozen=True, slots=True)
class CustomTarget:
    """A custom metric that an annotation asks for."""

    name: str
    milli: Milli

    @property
    def amount(self) -> float:
        """The target, as the calculation uses it."""
        return float(self.milli) / 1000.0


def targets_of(annotation: str) -> tuple[CustomTarget, ...] | Problem:
    """The metrics that an annotation asks for. An empty one asks for none."""
    if not annotation:
        return ()
    try:
        items = json.loads(annotation).get("items") or ()
        return tuple(CustomTarget(item.get("name", ""), quantity.parse_json(item.get("value")).milli) for item in items)
    except (ValueError, AttributeError, TypeError) as error:
        return Problem("metric.invalid.bad_spec", f"failed to parse custom metrics annotation: {error}")


def published(value: float, *, keeps_text: bool) -> str:
    """A value as the annotation publishes it: with three decimals, and then as a quantity. ValueError if it is none.

    keeps_text   since 1.3 a quantity that is canonical but for its decimal point keeps its text: 1.310 is not 1310m

    Upstream: `resource.ParseQuantity(fmt.Sprintf("%.3f", …))`.
    """
    if not isfinite(value):
        raise ValueError(_NO_QUANTITY)
    text = f"{value:.3f}"
    digits = text.lstrip("-").replace(".", "")
    fits = len(digits) <= _FAST_DIGITS and digits[0] != "0" and not digits.endswith("000")
    if keeps_text and fits:
        return text
    largest = _LARGEST * 1000
    milli = max(min(int(text.replace(".", "")), largest), -largest)
    return quantity.from_milli(Milli(milli)).text


def status_annotation(values: list[tuple[str, str]]) -> str:
    """The annotation that publishes these metrics, each a name and a quantity."""
    items = [{"name": name, "value": value} for name, value in values]
    return json.dumps({"items": items}, separators=(",", ":"), ensure_ascii=False)
