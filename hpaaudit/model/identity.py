"""The key of an object, which differs between two objects that had the same name one after the other."""


def object_key(uid: str, namespace: str, name: str) -> str:
    """The uid, or `namespace/name` without one, as in captures. The SQL macro `object_key` does the same."""
    return uid or f"{namespace}/{name}"
