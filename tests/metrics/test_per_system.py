"""Most metrics are the same for every system; those that need the systems are asked once."""

from pathlib import Path

from clirbench.metrics.bleu import BLEU
from clirbench.metrics.score_files import ScoreFile
from clirbench.metrics.segments import NeedsSystems, per_system
from clirbench.text import TextLines
from clirbench.types import TestSet


def test_an_ordinary_metric_serves_all_systems() -> None:
    texts = {"a": TextLines(("x",)), "b": TextLines(("y",))}
    assert not isinstance(BLEU(), NeedsSystems)
    assert per_system(BLEU(), texts, TestSet((("x",),))) == {"a": BLEU(), "b": BLEU()}


def test_a_score_file_gives_each_system_its_own(tmp_path: Path) -> None:
    (tmp_path / "scores").write_text("a 1\n")
    metric = ScoreFile("m", str(tmp_path / "scores"), missing="hole")
    texts = {"a": TextLines(("x",)), "b": TextLines(("y",))}
    assert list(per_system(metric, texts, TestSet((("x",),)))) == ["a"]
