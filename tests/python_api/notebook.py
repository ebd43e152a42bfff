"""Runs a notebook's cells in one process and says what each shows, without Jupyter."""

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

Notebook = dict[str, Any]


def executed(path: Path, names: dict[str, Any] | None = None) -> Notebook:
    """The notebook with the outputs that its cells give now, in a kernel that knows `names`; None: a new one."""
    notebook: Notebook = json.loads(path.read_text("utf-8"))
    names = {"__name__": "__main__"} if names is None else names
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell |= {"execution_count": number, "outputs": _outputs("".join(cell["source"]), names, number)}
    return notebook


def written(notebook: Notebook) -> str:
    """The text of the file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    *statements, last = ast.parse(source).body
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(statements, []), "cell", "exec"), names)  # noqa: S102 our own notebook
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307 likewise
        else:
            exec(compile(ast.Module([last], []), "cell", "exec"), names)  # noqa: S102 likewise
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append(
            {"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)}
        )
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_") and type(value).__module__.startswith("hpaaudit"):
            data = {
                "text/html": value._repr_html_().splitlines(keepends=True),
                "text/plain": [f"<{type(value).__name__}>"],
            }
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs
