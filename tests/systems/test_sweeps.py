"""A sweep on the command line: models that a command translates with are listed and not run."""

from pathlib import Path
from typing import Any

FAST = ("keep_copies=true", "topics.n=8", "relevance.k=3", "metric=[BLEU]", "measures=[P@10]", "engine=serial")


def test_check_lists_models_and_runs_none(cli: Any, small_folder: Path) -> None:
    (cli.cwd / "m_7.sed").write_text("s/a/b/\n", encoding="utf-8")
    options = ("systems=checkpoints", "systems.model=m_%step%.sed", "systems/translator=command", "check=true")
    done = cli.succeed("folder=small", *options, "systems.translator.command='sed -f {model}'", *FAST)
    assert "systems: 1: step7" in done.stdout
    assert not (cli.cwd / "runs" / ".cache").exists()
    done = cli("folder=small", *options, "systems.translator.command='sad -f {model}'", *FAST)
    assert done.returncode == 1
    assert "sad: no such program" in done.stderr
