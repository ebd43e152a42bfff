"""Words HPAs in another API version: as YAML or JSON, and what was lost."""

import json
from collections.abc import Iterator

from hpaaudit.model.conversion import Conversion
from hpaaudit.report import structured


def as_yaml(conversion: Conversion) -> str:
    """A document each, keys sorted as kubectl does."""
    return "---\n".join(structured.as_yaml(dict(document), is_sorted=True) for document in conversion.documents)


def as_json(conversion: Conversion) -> str:
    """One object, or a List of several."""
    found = [dict(document) for document in conversion.documents]
    whole = found[0] if len(found) == 1 else {"apiVersion": "v1", "kind": "List", "items": found}
    return json.dumps(whole, indent=4, sort_keys=True, ensure_ascii=False) + "\n"


def loss_lines(conversion: Conversion) -> Iterator[str]:
    """What else is in the file, then what the version cannot carry, a line each."""
    yield from conversion.notes
    for loss in conversion.losses:
        yield f"{loss.hpa}: {loss.text} [{loss.code}]"
