"""Words HPAs in another API version: as YAML or JSON, and what was lost."""

import json
from collections.abc import Iterator

import yaml

from hpaaudit.model.conversion import Conversion


def as_yaml(conversion: Conversion) -> str:
    """A document each, keys sorted as kubectl does."""
    texts = [
        yaml.safe_dump(dict(document), allow_unicode=True, width=2**20, default_flow_style=False)
        for document in conversion.documents
    ]
    return "---\n".join(texts)


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
