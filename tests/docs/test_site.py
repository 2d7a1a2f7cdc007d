"""The site builds without a warning and without a network; the generated tables are current; --help is complete."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import size
from clirbench.configuration.laboratories import config_folders, config_parts
from docs.generator import reference

ROOT = Path(__file__).resolve().parents[2]
REMOTE = re.compile(r'<(?:script|link|img|iframe)\b[^>]*?(?:src|href)="(?:https?:)?//(?P<host>[^"/]+)[^"]*"')


def test_readme_is_a_screen_and_a_half_and_shows_what_it_talks_about() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.split()) < 700
    for said in ("make test", "pip install", "uvx", "check=true", "import clirbench as cb"):
        assert said in readme
    linked = re.findall(r"\]\(([^)#]+)\)|(?:src|srcset)=\"([^\"]+)\"", readme)
    paths = [one or other for one, other in linked]
    assert [path for path in paths if path.endswith(".png")]
    assert [path for path in paths if not path.startswith("http") and not (ROOT / path).is_file()] == []


@pytest.mark.release
def test_a_reader_can_finish_what_is_written_by_hand() -> None:
    """30,000 words: two hours of reading. Pages that a program writes whole count apart."""
    counted = size.documents()
    assert sum(n for n, generated in counted.values() if not generated) <= 30_000
    assert {name for name, (_, generated) in counted.items() if generated} == {
        "docs/explanation/answers.md", "docs/explanation/validity.md", "docs/findings-study.md", "docs/findings.md",
        "docs/reproductions.md",
    }  # fmt: skip


def test_the_page_of_metrics_names_every_metric() -> None:
    page = reference.metrics_page()
    assert [path.stem for path in reference.choices("metric") if f"`{path.stem}`" not in page] == []


def test_every_metric_has_a_signature_and_a_source() -> None:
    rows = reference.metric_rows()
    assert [row[0] for row in rows] == [path.stem for path in reference.choices("metric")]
    for name, _, direction, signature, source in rows:
        assert direction in ("up", "down")
        assert signature, name
        assert source, f"{name}: its class names no **Source:**"


def test_every_group_of_conf_has_its_chapter() -> None:
    homes = (reference.CONF, *config_folders())
    folders = {str(path.parent.relative_to(home)) for home in homes for path in home.rglob("*.yaml")}
    assert set(reference.GROUPS) == {folder for folder in folders if folder != "." and not folder.startswith("hydra")}


def test_every_choice_says_what_it_is() -> None:
    silent = [
        f"{group}/{path.stem}"
        for group in reference.GROUPS
        for path in reference.choices(group)
        if group not in ("analyses", "paper") and not reference.description(path)
    ]
    assert not silent


def test_help_names_every_experiment_and_every_choice(cli) -> None:
    done = cli("--help")
    assert done.returncode == 0, done.stderr
    for group in ("experiment", "topics", "retrieval", "relevance", "metric", "engine"):
        listed = re.search(rf"^{group}: (.*)$", done.stdout, re.MULTILINE)
        assert listed is not None, group
        paths = (path for folder in config_parts(group) for path in folder.glob("*.yaml"))
        assert set(listed[1].split(", ")) == {path.stem for path in paths}
    assert done.stdout.count("python -m clirbench ") >= 5
    assert "_target_" not in done.stdout


def test_an_option_s_own_value_is_no_override(cli) -> None:
    done = cli("--cfg", "job", "-p", "relevance")
    assert done.returncode == 0, done.stderr
    assert "clirbench.relevance.top_k.TopK" in done.stdout
    done = cli("job")
    assert done.returncode == 1
    assert "'job' is no folder, no command and no key=value" in done.stderr


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_asks_no_other_host(tmp_path: Path) -> None:
    # The theme prints an announcement of its own on standard error; warnings of the build end it with --strict.
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "NO_MKDOCS_2_WARNING": "1",
        "http_proxy": "http://127.0.0.1:9",
    }
    site = tmp_path / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr
    pages = sorted(site.rglob("*.html"))
    assert {"tutorial.html", "configuration.html", "metrics.html", "decisions.html"} <= {page.name for page in pages}
    asked = {
        (page.name, found["host"]) for page in pages for found in REMOTE.finditer(page.read_text(encoding="utf-8"))
    }
    assert not asked
    metrics = (site / "reference" / "python" / "metrics.html").read_text(encoding="utf-8")
    assert 'id="clirbench.metrics.bleu.BLEU"' in metrics
