"""The notebooks of docs/notebooks as pages; `python docs/generator/notebooks.py` runs them and keeps what they show."""

import base64
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
PAGES = "notebooks"
STYLE = re.compile(r"<style.*?</style>", re.DOTALL)


def notebooks() -> list[Path]:
    """Every notebook, in the order of its number."""
    return sorted(FOLDER.glob("*.ipynb"))


def executed(paths: list[Path]) -> list[dict[str, Any]]:
    """Each notebook as an empty folder gives it; raises `CellExecutionError` where a cell does.

    One kernel runs them all, since starting one costs more than a notebook; between two it forgets every name.
    """
    import nbformat
    from nbclient import NotebookClient

    together = nbformat.v4.new_notebook(nbformat_minor=4)
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            own = Path(folder) / path.stem
            own.mkdir()
            moved = nbformat.v4.new_code_cell(f"%reset -f\n%cd -q {own}")
            moved.pop("id")  # notebooks of this format have none
            together.cells += [moved, *nbformat.read(path, 4).cells]
        client = NotebookClient(together, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}})
        client.execute()
    cells = json.loads(nbformat.writes(together))["cells"]
    found = []
    for path in paths:
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found.append({**kept, "cells": list(map(_bare, cells[1 : len(kept["cells"]) + 1]))})
        cells = cells[len(kept["cells"]) + 1 :]
    return found


def _bare(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell without what differs between two executions."""
    cell.pop("id", None)
    cell["metadata"] = {}
    if cell["cell_type"] == "code":
        cell["execution_count"] = None
        # A Python warning names a file of the kernel; the result shows its text too.
        cell["outputs"] = [output for output in cell["outputs"] if output.get("name") != "stderr"]
        for output in cell["outputs"]:
            if "execution_count" in output:
                output["execution_count"] = None
    return cell


def said(notebook: dict[str, Any]) -> list[str]:
    """What the notebook shows, less its pictures."""
    return [
        f"{number}: {''.join(text)}"
        for number, cell in enumerate(notebook["cells"])
        for output in cell.get("outputs", ())
        for text in (output.get("text") or output["data"].get("text/html") or output["data"].get("text/plain"),)
        if "image/png" not in output.get("data", {})
    ]


def pages() -> dict[str, str | bytes]:
    """Path below docs/ -> the page of each notebook, and its pictures."""
    made: dict[str, str | bytes] = {}
    for path in notebooks():
        notebook = json.loads(path.read_text(encoding="utf-8"))
        pictures: dict[str, bytes] = {}
        made[f"{PAGES}/{path.stem}.md"] = "\n\n".join(_blocks(notebook, path.stem, pictures)) + "\n"
        made |= {f"{PAGES}/{name}": content for name, content in pictures.items()}
        made[f"{PAGES}/{path.name}"] = path.read_bytes()
    return made


def title(path: Path) -> str:
    """The first heading."""
    first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]
    return "".join(first).partition("\n")[0].removeprefix("# ")


def _blocks(notebook: dict[str, Any], stem: str, pictures: dict[str, bytes]) -> Iterator[str]:
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        yield source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```"
        for output in cell.get("outputs", ()):
            yield _shown(output, stem, pictures)
    yield f"[Download this notebook]({stem}.ipynb)"


def _shown(output: dict[str, Any], stem: str, pictures: dict[str, bytes]) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        name = f"{stem}-{len(pictures) + 1}.png"
        pictures[name] = base64.b64decode(data["image/png"])
        return f"![{' '.join(''.join(data['text/plain']).split())}]({name})"
    if "text/html" in data:
        # In the look of the site's own tables.
        html = "".join(data["text/html"]).replace(' border="1" class="dataframe"', "")
        return f"<div>\n{STYLE.sub('', html)}\n</div>"
    return f"```text\n{''.join(output.get('text') or data['text/plain']).rstrip()}\n```"


def main() -> int:
    for path, notebook in zip(notebooks(), executed(notebooks()), strict=True):
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
