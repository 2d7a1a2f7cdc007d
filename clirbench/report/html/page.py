"""One self-contained file from a template: it contains style and script, and a policy that forbids everything else.

Data reach the script as JSON in which `<`, `>`, `&` and the two line separators are escaped, so that no name can
close the element that contains it; the policy names the one script by its hash, so that no other would run.
"""

import base64
import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from clirbench.errors import escape_unseen
from clirbench.pages.page import Page
from clirbench.pages.wording import short
from clirbench.report.html.cells import numeric, rows_of

HERE = Path(__file__).resolve().parent
ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def rendered(template: str, values: Mapping[str, Any], payload: Any) -> str:
    """The page of `template` with `values`; `payload` is what its script reads."""
    style, script = _read("report.css"), _read("page.js") + _read("plots.js")
    digest = _base64(hashlib.sha256(script.encode("utf-8")).digest())
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    own = {"style": Markup(style), "script": Markup(script), "policy": policy, "payload": Markup(embedded(payload))}
    return escape_unseen(_environment().get_template(template).render({**values, **own}))


def write_page(path: Path, made: Page) -> None:
    """Write a page whose sections follow each other as in Markdown."""
    path.write_text(rendered("page.html.j2", {"page": made}, {}), encoding="utf-8", newline="\n")


def embedded(value: Any) -> str:
    """JSON that can stand inside a script element; NaN and infinities become null."""
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, escape in ESCAPED.items():
        text = text.replace(character, escape)
    return text


def plain(value: Any) -> Any:
    """Values as JSON has them: numbers of numpy as numbers, tuples as lists, what is not finite as null."""
    # What there is most of comes first.
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return plain(value.tolist()) if hasattr(value, "tolist") else value


def rounded(value: float, digits: int = 5) -> float:
    """The value with `digits` significant digits: enough for a plot, a third of the bytes."""
    return value if not math.isfinite(value) or value == 0 else float(short(value, digits))


def _base64(content: str | bytes) -> str:
    return base64.b64encode(content.encode("utf-8") if isinstance(content, str) else content).decode("ascii")


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals.update(rows_of=rows_of, numeric=numeric, kind=lambda block: type(block).__name__, base64=_base64)
    return made
