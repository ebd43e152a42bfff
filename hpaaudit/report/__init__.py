"""Words values as text for people, and as JSON."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Package(ModuleType):
    """The package, which can be called as the function `hpaaudit.report`: once imported, it has that name."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return import_module("hpaaudit").__getattr__("report")(*args, **options)


sys.modules[__name__].__class__ = _Package
