"""The names that Kubernetes allows, and why it refuses others, in its words.

Upstream: k8s.io/apimachinery, `util/validation`.
"""

import re

MAX_LABEL, MAX_SUBDOMAIN = 63, 253
_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_NAME = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
SUBDOMAIN, LABEL, NAME = (re.compile(pattern) for pattern in (_SUBDOMAIN, _LABEL, _NAME))
"""Names of objects, of containers, and of labels and resources."""

RFC_SUBDOMAIN, RFC_LABEL = "a lowercase RFC 1123 subdomain", "a lowercase RFC 1123 label"
VALUE_FORM = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    f"'({_NAME})?')"
)
_NAME_FORM = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    f"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_NAME}')"
)


def label_form(called: str = RFC_LABEL) -> str:
    """The form of a label such as a namespace; `called` is what the release calls it."""
    return (
        f"{called} must consist of lower case alphanumeric characters or '-', and must start and end with an "
        f"alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{_LABEL}')"
    )


def subdomain_form(called: str = RFC_SUBDOMAIN) -> str:
    """The form of a subdomain; `called` is what the release calls it."""
    return (
        f"{called} must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
        f"alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
    )


def qualified_name_errors(text: str) -> list[str]:
    """Why a name such as `example.com/name` is refused; none if it is right. Upstream: `IsQualifiedName`."""
    parts = text.split("/")
    errors = []
    if len(parts) == 1:
        name = parts[0]
    elif len(parts) == 2:  # noqa: PLR2004 (a prefix and a name)
        prefix, name = parts
        if not prefix:
            errors.append("prefix part must be non-empty")
        elif not SUBDOMAIN.fullmatch(prefix):
            errors.append(f"prefix part {subdomain_form()}")
        elif len(prefix) > MAX_SUBDOMAIN:
            errors.append(f"prefix part must be no more than {MAX_SUBDOMAIN} bytes")
    else:
        return [
            f"a qualified name {_NAME_FORM} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ]
    if not name:
        errors.append("name part must be non-empty")
    elif len(name) > MAX_LABEL:
        errors.append(f"name part must be no more than {MAX_LABEL} bytes")
    if not NAME.fullmatch(name):
        errors.append(f"name part {_NAME_FORM}")
    return errors
