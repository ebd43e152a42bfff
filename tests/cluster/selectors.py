"""Evaluates `labelSelector=` for the answers of `world.py`, independently of the product."""

import re


def matches(selector: str, labels: dict[str, str]) -> bool:
    """Whether labels fit an equality or set-based selector; the empty one fits all."""
    return all(fits(part.strip(), labels) for part in re.findall(r"(?:[^,(]|\([^)]*\))+", selector))


def fits(part: str, labels: dict[str, str]) -> bool:
    """Whether labels fit one requirement."""
    if match := re.fullmatch(r"(\S+)\s+(in|notin)\s+\((.*)\)", part):
        key, verb, values = match.groups()
        among = labels.get(key) in {value.strip() for value in values.split(",")}
        return among == (verb == "in")
    if "!=" in part:
        key, value = part.split("!=")
        return labels.get(key) != value
    if "=" in part:
        key, value = part.replace("==", "=").split("=")
        return labels.get(key) == value
    if part.startswith("!"):
        return part[1:] not in labels
    return part in labels
