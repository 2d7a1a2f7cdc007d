"""mkdocs hook: adds generated pages, names what the theme leaves nameless."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import notebooks
from mkdocs.structure.files import File
from reference import ROOT, columns_page, configuration_page, metrics_page, packages, python_pages


def on_config(config: Any) -> Any:
    """Put the generated Python pages and the notebooks into the navigation."""
    pages = [{"The line, types, files, errors": "reference/python/line.md"}]
    pages += [{f"clirbench.{name}": f"reference/python/{name}.md"} for name in packages()]
    _section(config.nav, "Reference").append({"Python": pages})
    shown = [{notebooks.title(path): f"{notebooks.PAGES}/{path.stem}.md"} for path in notebooks.notebooks()]
    _section(config.nav, "Notebooks").extend(shown)
    return config


def _section(nav: list[Any], name: str) -> list[Any]:
    """The entries of the section `name` of one of the groups."""
    groups = [entry for group in nav for entries in group.values() for entry in entries]
    return next(entry[name] for entry in groups if isinstance(entry, dict) and name in entry)


REPORTS = {
    "gallery/demo.html": ["+experiment=demo"],
    "gallery/europarl.html": [
        "+experiment=europarl_csen_published",
        "analysis=[correlation,differences,power]",
        "analyses.power.simulations=20",
    ],
}
"""Path below docs/ -> the run whose report the gallery shows."""


def reports() -> dict[str, bytes]:
    """Path below docs/ -> the report of the gallery, of a run made now."""
    made = {}
    for path, overrides in REPORTS.items():
        with tempfile.TemporaryDirectory() as folder:
            out = [f"hydra.run.dir={folder}/run", f"paths.cache={folder}/cache", "--quiet"]
            run = [sys.executable, "-m", "clirbench", *overrides, *out]
            subprocess.run(run, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
            made[path] = (Path(folder) / "run" / "report.html").read_bytes()
    return made


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages."""
    made = {"reference/configuration.md": configuration_page(), "reference/metrics.md": metrics_page()}
    made["reference/columns.md"] = columns_page()
    made |= {f"reference/python/{name}": text for name, text in python_pages().items()}
    made |= notebooks.pages()
    made |= reports()
    made["reference/results.schema.json"] = (ROOT / "clirbench/data/results.schema.json").read_bytes()
    for path, content in made.items():
        if (existing := files.get_file_from_path(path)) is not None:
            files.remove(existing)
        files.append(File.generated(config, path, content=content))
    return files


SECTION = re.compile(r'aria-labelledby="(__nav_\w+)_label"([^>]*>\s*<label class="md-nav__title") for="\1"')


def on_post_page(output: str, **_: Any) -> str:
    """Names for sections and the search, for screen readers."""
    output = SECTION.sub(r'aria-labelledby="\1_title"\2 id="\1_title" for="\1"', output)
    return output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )
