"""The examples of CONTRIBUTING.md, copied out of the page and followed literally."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import put

ROOT = Path(__file__).resolve().parents[2]
# A file's name in backquotes, a colon somewhere on the line, a fenced block.
EXAMPLE = re.compile(r"^`(?P<name>[\w/.]+)`[^\n]*:\n\n```\w+\n(?P<content>.*?)^```$", re.MULTILINE | re.DOTALL)


def test_ten_files_hold_the_instrument() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| \d+ \| `([\w/]+\.py)` \|", page, re.MULTILINE)
    texts = [(ROOT / "clirbench" / name).read_text(encoding="utf-8") for name in named]
    assert len(named) == 10
    assert sum(len(text.splitlines()) for text in texts) <= 1500


def test_the_examples_run_and_their_tests_pass(cli, small_folder: Path, tmp_path: Path) -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    examples = {found["name"]: found["content"] for found in EXAMPLE.finditer(page)}
    assert len(examples) == 9
    for name, content in examples.items():
        put(tmp_path / name, content)
    (tmp_path / "queries.txt").write_text("cod quotas\nnorthern waters\n", encoding="utf-8")
    done = cli(
        "+experiment=folder", "folder=small", "hydra.searchpath=[file://conf]", "metric=[BLEU,FirstWord]",
        "+measure=[FirstHit]", "topics=lines", "topics.path=queries.txt", "relevance.k=3", "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    header = (tmp_path / "out" / "systems.tsv").read_text(encoding="utf-8").split("\n")[0].split("\t")
    assert {"FirstWord", "FirstHit"} <= set(header)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", "tests"]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    passed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "3 passed" in passed.stdout
