"""Score files of every format, written as their makers write them."""

import json
from pathlib import Path

import numpy as np
import pytest

from clirbench.errors import ConfigError, InputError
from clirbench.metrics.score_files import ScoreFile
from clirbench.metrics.segments import per_system
from clirbench.text import TextFile, TextLines
from clirbench.types import TestSet

TEST = TestSet((("r1", "r2", "r3"),))
SYSTEMS = {"a": TextLines(("x", "y", "z")), "b": TextLines(("x", "y", "w"))}


def scores(metric: ScoreFile) -> dict[str, float]:
    resolved = per_system(metric, SYSTEMS, TEST)
    return {
        system: float(metric.score(np.asarray(one.statistics(SYSTEMS[system].lines(), TEST).sum(axis=0)).reshape(-1)))
        for system, one in resolved.items()
    }


def test_one_score_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.bleurt").write_text("0.5\n-1\n2e-1\n")
    (tmp_path / "b.bleurt").write_text("1\n2\n4\n")
    path = str(tmp_path / "{system}.bleurt")
    assert scores(ScoreFile("BLEURTmean", path)) == pytest.approx({"a": -0.1, "b": 7 / 3})
    assert scores(ScoreFile("BLEURTmedian", path, aggregate="median")) == pytest.approx({"a": 0.2, "b": 2})
    assert scores(ScoreFile("scaled", path, scale=100)) == pytest.approx({"a": -10, "b": 700 / 3})


def test_mt_metrics_eval(tmp_path: Path) -> None:
    segments = tmp_path / "BLEURT-refA.seg.score"
    segments.write_text("a\t1\na\t2\na\t6\nb\t0\nb\t0\nb\t3\nhuman\t9\nhuman\t9\nhuman\t9\n")
    metric = ScoreFile("m", str(segments))
    assert scores(metric) == pytest.approx({"a": 3, "b": 1})
    system = tmp_path / "BLEURT-refA.sys.score"
    system.write_text("a 0.25\nb 0.75\n")
    assert scores(ScoreFile("m", str(system), "system")) == {"a": 0.25, "b": 0.75}


def comet(path: Path, *files: str) -> Path:
    """`comet-score --to_json` of files of translations: the n-th has the scores n, n, n."""
    path.write_text(json.dumps({file: [{"COMET": n}] * 3 for n, file in enumerate(files)}))
    return path


def in_files(folder: Path, **names: str) -> dict[str, TextFile]:
    """Systems and the files of their translations."""
    for name in names.values():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\ny\nz\n")
    return {system: TextFile(folder / name) for system, name in names.items()}


@pytest.mark.parametrize(
    "names",
    [
        ["exp/run1/ckpt_1000.txt", "exp/run2/ckpt_1000.txt"],
        ["run1/ckpt_1000.txt", "run2/ckpt_1000.txt"],
        ["/elsewhere/exp/run1/ckpt_1000.txt", "/elsewhere/exp/run2/ckpt_1000.txt"],
        ["run1-step1000.txt", "mt/run2-step1000.txt"],
    ],
)
def test_scores_of_comet_go_to_the_systems_whose_files_they_name(tmp_path: Path, names: list[str]) -> None:
    systems = in_files(
        tmp_path, **{"run1-step1000": "exp/run1/ckpt_1000.txt.gz", "run2-step1000": "exp/run2/ckpt_1000.txt"}
    )
    path = comet(tmp_path / "comet.json", *names)
    found = ScoreFile("COMET", str(path)).for_systems(systems, TEST)
    assert {name: one.scores for name, one in found.items()} == {"run1-step1000": (0, 0, 0), "run2-step1000": (1, 1, 1)}


def test_a_file_that_two_systems_may_mean_is_no_system_s(tmp_path: Path) -> None:
    systems = in_files(tmp_path, one="exp/run1/ckpt.txt", two="exp/run2/ckpt.txt")
    path = comet(tmp_path / "comet.json", "ckpt.txt", "run2/other.txt")
    with pytest.raises(InputError, match=r"no scores for one, two; it names .*; 'metric.COMET.rename=\{one: NAME\}'"):
        ScoreFile("COMET", str(path)).for_systems(systems, TEST)
    found = ScoreFile("COMET", str(path), rename={"one": "ckpt.txt", "two": "run2/other.txt"})
    assert [one.scores[0] for one in found.for_systems(systems, TEST).values()] == [0, 1]


def test_scores_beside_the_translations(tmp_path: Path) -> None:
    """MetricX writes one output file for each input file, metricx24/predict.py --output_file."""
    systems = in_files(tmp_path, one="exp/run1/ckpt.txt", two="exp/run2/ckpt.txt.gz")
    for run in (1, 2):
        lines = "".join(json.dumps({"prediction": run}) + "\n" for _ in range(3))
        (tmp_path / f"exp/run{run}/ckpt.jsonl").write_text(lines)
    found = ScoreFile("MetricX", "{file}.jsonl").for_systems(systems, TEST)
    assert {name: one.scores[0] for name, one in found.items()} == {"one": 1, "two": 2}


def test_columns_of_the_metrics_tasks(tmp_path: Path) -> None:
    """Rows in any order, another language pair beside, the columns of 2017-2019 behind."""
    path, columns = tmp_path / "old.seg.score", ["metric", "lang_pair", "test_set", "system", "segment", "score"]
    rows = [f"YiSi\tcs-en\tnews\t{s}\t{n}\t{n * k}\tnon-ensemble" for k, s in ((1, "a"), (2, "b")) for n in (3, 1, 2)]
    path.write_text("\n".join([*rows, "YiSi\tde-en\tnews\ta\t1\t99\tnon-ensemble"]) + "\n")
    metric = ScoreFile("YiSi", str(path), columns=columns, select={"lang_pair": "cs-en"})
    assert scores(metric) == pytest.approx({"a": 2, "b": 4})
    assert "lang_pair:cs-en" in metric.signature
    with pytest.raises(InputError, match=r"line 7: a second score for a, segment 1; choose rows, such as "):
        scores(ScoreFile("YiSi", str(path), columns=columns))
    with pytest.raises(InputError, match=r"holds no score with lang_pair=fr-en"):
        scores(ScoreFile("YiSi", str(path), columns=columns, select={"lang_pair": "fr-en"}))


def test_a_table_with_other_columns(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text("".join(f"{n}\t{s}\tdoc\t{n}\n" for s in "ab" for n in (2, 0, 1)))
    metric = ScoreFile("m", str(path), columns=["segment", "system", "document", "score"])
    assert scores(metric) == {"a": 1, "b": 1}
    with pytest.raises(ConfigError, match=r"columns=\['segment', 'score'\]: system and score must be among them"):
        ScoreFile("m", str(path), columns=["segment", "score"])


def test_a_system_without_scores(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a 1\nB 2\n")
    path = str(tmp_path / "f")
    with pytest.raises(InputError, match="no scores for b"):
        scores(ScoreFile("m", path, "system"))
    assert scores(ScoreFile("m", path, "system", missing="hole")) == {"a": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\ntwo\n3\n", "a: line 2: 'two' is not a number"),
        ("1\nnan\n3\n", "a: line 2: 'nan' is not a finite number"),
        ("1\n3\n", "2 scores for a, 3 expected"),
    ],
)
def test_bad_lines(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "a").write_text(content)
    (tmp_path / "b").write_text("1\n2\n3\n")
    with pytest.raises(InputError, match=message):
        scores(ScoreFile("m", str(tmp_path / "{system}")))


def test_bad_tables(tmp_path: Path) -> None:
    path = tmp_path / "f"
    row = "m\tx-en\tnews\ta\t{}\t1\n"
    path.write_text(row.format(1) + row.format(3))
    columns = ["metric", "lang_pair", "test_set", "system", "segment", "score"]
    with pytest.raises(InputError, match="a: segment 2 has no score"):
        scores(ScoreFile("m", str(path), columns=columns))
    path.write_text(row.format("one"))
    with pytest.raises(InputError, match="line 1: segment 'one' is not a whole number"):
        scores(ScoreFile("m", str(path), columns=columns))
    path.write_text("a 1\nb\n")
    with pytest.raises(InputError, match="line 2: 1 columns, 2 expected: system score"):
        scores(ScoreFile("m", str(path)))


def test_a_file_metric_needs_its_path_and_names(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="path is not set: name its file of scores, metric.m.path=FILE"):
        ScoreFile("m")
    with pytest.raises(ConfigError, match="scores from files need the system's name"):
        ScoreFile("m", str(tmp_path / "{system}")).statistics(["a"], TestSet((("a",),)))
