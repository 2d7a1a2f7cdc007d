"""Reference pages as Markdown, made from conf/, from docstrings and from the components themselves."""

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from typing import Any

import yaml

from clirbench.configuration.laboratories import config_parts
from clirbench.keys import KEYS
from clirbench.pages import KNOWN

ROOT = Path(__file__).resolve().parents[2]
CONF = ROOT / "conf"
SOURCE = re.compile(r"\*\*Source:\*\* (.*?)(?:\n\n|\Z)", re.DOTALL)
# Numbers of versions differ between machines and say nothing about the definition.
VERSION = re.compile(r"\b(sacrebleu|numpy):\d[\w.+-]*")
# The demo's topics are part of the signature of the metrics that look at them.
TOPICS = re.compile(r"\b(topic-terms):\w+")
# Metrics that need files or a program before they have a signature, and what that signature begins with.
FROM_ELSEWHERE = "the scores' sha256, or the command, stands in it"

GROUPS = {
    "experiment": "Experiments",
    "corpus": "Corpora: what is translated and searched",
    "systems": "Systems: where translations come from",
    "systems/translator": "Translators: how a checkpoint's model is run",
    "topics": "Topics: what is searched for",
    "analyzer": "Analysers: what a term is",
    "retrieval": "Retrieval",
    "retrieval/encoder": "Encoders of dense retrieval",
    "relevance": "Relevance: which documents count",
    "metric": "MT metrics",
    "analyses": "Analyses",
    "paper": "Published tables",
    "texts": "Texts behind published tables",
    "engine": "Engines: where the work is done",
}


def description(path: Path) -> str:
    """The comment at the head of a configuration file, as one text."""
    lines = path.read_text(encoding="utf-8").split("\n")
    head = []
    for line in lines:
        if not line.startswith("#"):
            break
        if not line.startswith("# @package"):
            head.append(line.removeprefix("#").strip())
    return " ".join(head)


def choices(group: str) -> list[Path]:
    """The files of a group, by name."""
    found = (path for folder in config_parts(group) for path in folder.glob("*.yaml"))
    return sorted(found, key=lambda path: path.stem.lower())


def target(node: Any) -> str:
    """The `_target_` of a configuration, which may stand one level down (list groups); empty without one."""
    if not isinstance(node, dict):
        return ""
    if "_target_" in node:
        return str(node["_target_"])
    return next((target(value) for value in node.values() if isinstance(value, dict)), "")


def configuration_page() -> str:
    """Every group and every choice of conf/, with its fields and their comments as they stand there."""
    return "\n".join(_configuration())


def _configuration() -> Iterator[str]:
    yield "# Configuration\n"
    yield (
        "Made from `conf/` when this site is built. A heading `group=name` is what the command line takes; every "
        "field below it can be set as `group.field=value` (for metrics and analyses: `metric.BLEU.tokenize=intl`, "
        "`analyses.choice.points=10`). `${key}` is the value of another key.\n"
    )
    yield "## All keys and their defaults\n"
    yield "| key | value | default | |\n| --- | --- | --- | --- |"
    yield from (f"| `{key.name}` | {key.kind} | `{json.dumps(key.default)}` | {key.help} |" for key in KEYS)
    yield f"\nThe components of every run:\n\n```yaml\n{(CONF / 'config.yaml').read_text(encoding='utf-8')}```\n"
    for group, title in GROUPS.items():
        yield f"## {title}\n"
        for path in choices(group):
            yield from _choice(group, path)


def _choice(group: str, path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    name = f"{group}=[{path.stem}]" if group == "metric" else f"{group}={path.stem}"
    if group == "experiment":
        name = f"+{name}"
    if group == "analyses":
        name = f"analysis=[{path.stem}]"
    yield f"### `{name}` {{ #{group.replace('/', '-')}-{path.stem} }}\n"
    component = target(yaml.safe_load(text))
    if component and component.startswith("clirbench."):
        yield f"Python: [`{component}`][{component}]\n"
    yield f"```yaml\n{text.rstrip()}\n```\n"


def source(docstring: str) -> str:
    """What a docstring names as its source, on one line; empty where it names none."""
    found = SOURCE.search(cleandoc(docstring or ""))
    return " ".join(found[1].split()).rstrip(".") if found else ""


def component_class(dotted: str) -> Any:
    """The class (or function) that a `_target_` names."""
    module, _, name = dotted.rpartition(".")
    return getattr(import_module(module), name)


def metric_rows() -> list[tuple[str, str, str, str, str]]:
    """(name in the configuration, name of the column, direction, signature, source) of every metric in conf/metric."""
    return [_metric(path) for path in choices("metric")]


def _metric(path: Path) -> tuple[str, str, str, str, str]:
    metric = metrics()[path.stem]
    kind = type(metric)
    direction = "up" if metric.higher_is_better else "down"
    if kind.__name__ in ("ScoreFile", "CommandMetric"):
        # The class knows of files and programs alone; the head of the YAML names the paper of the metric.
        paper = re.search(r"\(([^)]*\d{4})\)", description(path))
        return path.stem, metric.name, direction, FROM_ELSEWHERE, paper[1] if paper else "yours"
    signature = TOPICS.sub(r"\1:*", VERSION.sub(r"\1:*", metric.signature))
    return path.stem, metric.name, direction, f"`{signature}`".replace("|", "\\|"), source(kind.__doc__)


@cache
def metrics() -> dict[str, Any]:
    """Every metric of conf/ by its name there, built as the program builds it."""
    from hydra.utils import instantiate

    from clirbench.configuration.composing import compose_configuration

    names = [path.stem for path in choices("metric")]
    files = ("ScoreFile", "BLEURTmean", "BLEURTmedian", "COMET", "MetricX", "BERTScore")
    needs = ["metric.Command.command='cat {hypothesis}'", *(f"metric.{n}.path='scores/{{system}}.txt'" for n in files)]
    cfg = compose_configuration(["+experiment=demo", f"metric=[{','.join(names)}]", *needs])
    return {name: instantiate(cfg.metric[name], _convert_="all") for name in names}


def metrics_table() -> str:
    """The table of metrics."""
    lines = ["| `metric=[...]` | better is | signature | source |", "| --- | --- | --- | --- |"]
    for name, column, direction, signature, where in metric_rows():
        shown = f"`{name}`" if column == name else f"`{name}` ({column})"
        lines.append(f"| {shown} | {direction} | {signature} | {where} |")
    return "\n".join(lines)


def metrics_page() -> str:
    return (
        "# MT metrics\n\n"
        "Made from `conf/metric/` and the docstrings. The signature is that of the defaults; `*` stands for the "
        "version of a library. Scores are on a scale of 0-100 unless the class says otherwise. Of several references, "
        "metrics with `refs:first` use the first.\n\n"
        f"{metrics_table()}\n\n"
        "Fields of each metric: [configuration](configuration.md#mt-metrics). Definitions: "
        "[Python](python/metrics.md).\n"
    )


def columns_page() -> str:
    """The columns that several tables have."""
    rows = [f"| `{name}` | {known['meaning']} | {known.get('unit', '')} |" for name, known in KNOWN.items()]
    head = "# Columns of tables\n\nMade from `clirbench/data/columns.json`, as are the tooltips of `report.html`.\n\n"
    return head + "\n".join(["| column | meaning | unit |", "| --- | --- | --- |", *rows]) + "\n"


def modules(package: str) -> list[str]:
    """The modules of a package of clirbench, dotted, sub-packages included; compiled loops are left out."""
    folder = ROOT / "clirbench" / package
    found = sorted(folder.rglob("*.py"))
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in found if "compiled" not in path.parts]
    return [name.removesuffix(".__init__") for name in names]


def packages() -> list[str]:
    """The packages of clirbench that hold code."""
    inits = sorted((ROOT / "clirbench").glob("*/__init__.py"))
    return [path.parent.name for path in inits if path.parent.name != "data"]


def top_modules() -> list[str]:
    """The modules directly under clirbench."""
    return [f"clirbench.{path.stem}" for path in sorted((ROOT / "clirbench").glob("[!_]*.py"))]


def python_pages() -> dict[str, str]:
    """Path under reference/python/ -> page, for mkdocstrings."""
    pages = {f"{name}.md": _python_page(f"clirbench.{name}", modules(name)) for name in packages()}
    pages["line.md"] = _python_page("The line, types, files, errors", top_modules())
    return pages


def _python_page(title: str, names: list[str]) -> str:
    return f"# {title}\n\n" + "\n\n".join(f"::: {name}" for name in names) + "\n"
