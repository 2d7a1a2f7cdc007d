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


def executed(path: Path) -> dict[str, Any]:
    """The notebook as an empty folder gives it; raises `CellExecutionError` where a cell does."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}})
        client.execute()
    made: dict[str, Any] = json.loads(nbformat.writes(notebook))
    for cell in made["cells"]:
        cell.pop("id", None)
        cell["metadata"] = {}
        if cell["cell_type"] == "code":
            cell["execution_count"] = None
            for output in cell["outputs"]:
                if "execution_count" in output:
                    output["execution_count"] = None
    return {**made, "metadata": {"kernelspec": made["metadata"]["kernelspec"]}, "nbformat_minor": 4}


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
    for path in notebooks():
        path.write_text(json.dumps(executed(path), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
