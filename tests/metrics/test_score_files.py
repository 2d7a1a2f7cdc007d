"""Score files of every format, written as their makers write them; the layouts of other programs have their source."""

import json
from pathlib import Path

import pytest

from clirbench.errors import ConfigError, InputError
from clirbench.files.score_tables import ScoreTables
from clirbench.metrics.score_files import ScoreFile
from clirbench.text import TextFile, TextLines
from clirbench.types import TestSet
from tests.conftest import put
from tests.metrics.agreement import system_scores

TEST = TestSet((("r1", "r2", "r3"),))
SYSTEMS = {"a": TextLines(("x", "y", "z")), "b": TextLines(("x", "y", "w"))}


def scores(metric: ScoreFile) -> dict[str, float]:
    return system_scores(metric, SYSTEMS, TEST)


def means(path: Path, name: str = "m", **options: object) -> dict[str, float]:
    return scores(ScoreFile(name, str(path), **options))  # type: ignore[arg-type]


def test_one_score_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.bleurt").write_text("0.5\n-1\n2e-1\n")
    (tmp_path / "b.bleurt").write_text("1\n2\n4\n")
    path = str(tmp_path / "{system}.bleurt")
    assert scores(ScoreFile("BLEURTmean", path)) == pytest.approx({"a": -0.1, "b": 7 / 3})
    assert scores(ScoreFile("BLEURTmedian", path, aggregate="median")) == pytest.approx({"a": 0.2, "b": 2})
    assert scores(ScoreFile("scaled", path, scale=100)) == pytest.approx({"a": -10, "b": 700 / 3})


def test_mt_metrics_eval(tmp_path: Path) -> None:
    """Its README: missing entries are marked with None; GEMBA's gemba/scores.py writes the same layout,
    to_csv(sep=tab, header=False, na_rep="None")."""
    segments = "a\t1\na\t2\na\t6\nb\t0\nb\t0\nb\t3\nhuman\t9\nhuman\t9\nhuman\t9\n"
    assert means(put(tmp_path / "BLEURT-refA.seg.score", segments)) == pytest.approx({"a": 3, "b": 1})
    system = put(tmp_path / "BLEURT-refA.sys.score", "a 0.25\nb 0.75\n")
    assert means(system, aggregate="system") == {"a": 0.25, "b": 0.75}
    people = put(tmp_path / "en-de.mqm.seg.score", "a\tNone\na\t-1\na\t-3\nb\tNone\nb\tNone\nb\tNone\n")
    assert means(people, missing="hole") == {"a": -2}


def comet(path: Path, *files: str) -> Path:
    """`comet-score --to_json` of files of translations: the n-th has the scores n, n, n."""
    return put(path, json.dumps({file: [{"COMET": n}] * 3 for n, file in enumerate(files)}))


def in_files(folder: Path, **names: str) -> dict[str, TextFile]:
    """Systems and the files of their translations."""
    for name in names.values():
        put(folder / name, "x\ny\nz\n")
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


def metricx(system: str | None, shift: float) -> str:
    """Unbabel's and Google's field names: the input's, with `prediction` added."""
    records = [{"source": "s", "hypothesis": "h", "reference": "r", "prediction": n + shift} for n in range(3)]
    named = [{**r, "system_id": system, "segment_id": n, "label": -1.0} if system else r for n, r in enumerate(records)]
    return "".join(json.dumps(record) + "\n" for record in named)


def test_metricx(tmp_path: Path) -> None:
    """github.com/google-research/metricx, metricx24/predict.py: the input jsonl with example["prediction"]; system_id
    and segment_id (from 0) as metricx24/evaluate.py reads them, which negates: lower is better."""
    for system, shift in (("a", 0.0), ("b", 3.5)):
        put(tmp_path / f"{system}.jsonl", metricx(None, shift))
    assert means(tmp_path / "{system}.jsonl") == pytest.approx({"a": 1, "b": 4.5})
    both = put(tmp_path / "output.jsonl", metricx("b", 3.5) + metricx("a", 0))
    assert means(both) == pytest.approx({"a": 1, "b": 4.5})
    with pytest.raises(InputError, match=r"a\.jsonl: names no systems: one file a system was expected"):
        means(tmp_path / "a.jsonl")
    put(both, metricx("a", 0) + "{cut\n")
    with pytest.raises(InputError, match=r"output\.jsonl: line 4: not JSON"):
        means(both)


def test_one_number_a_line(tmp_path: Path) -> None:
    """github.com/google-research/bleurt, bleurt/score_files.py writes str(score); github.com/MicrosoftTranslator/GEMBA,
    gemba/cli.py prints each answer, None where the model gave none, and with --list_mqm_errors the errors."""
    for system in SYSTEMS:
        put(tmp_path / system, "-5\nNone\n-1\n")
    with pytest.raises(InputError, match=r"line 2: 'None' is not a number"):
        means(tmp_path / "{system}")
    assert means(tmp_path / "{system}", missing="hole") == {"a": -3, "b": -3}
    assert means(tmp_path / "{system}", missing="hole", aggregate="median") == {"a": -3, "b": -3}
    put(tmp_path / "a", "-5\n\n-1\n")
    with pytest.raises(InputError, match=r"line 2: '\(blank\)' is not a number"):
        means(tmp_path / "{system}", missing="hole")
    put(tmp_path / "a", "{'critical': [], 'major': ['omission']}\n" * 3)
    with pytest.raises(InputError, match=r"a: line 1: not JSON"):
        means(tmp_path / "{system}")


def test_any_table(tmp_path: Path) -> None:
    path = put(
        tmp_path / "x.csv",
        'System,seg_id,"text, all",quality,cost\na,1,"h, h",1,9\na,2,h,2,9\na,3,h,3,9\n'
        "b,3,h,0,9\nb,1,h,0,9\nb,2,h,6,9\n",
    )
    assert means(path, "quality") == {"a": 2, "b": 2}
    assert means(path, select={"metric": "cost"}) == {"a": 9, "b": 9}
    with pytest.raises(InputError, match="holds quality, cost; choose one"):
        means(path)
    put(path, "system,quality\na,good\nb,bad\n")
    with pytest.raises(InputError, match=r"x\.csv: beside system no column holds numbers alone: quality"):
        means(path)


def test_the_authors_tables_end_in_a_tab(tmp_path: Path, shared_data: Path) -> None:
    """Tables of Gowda et al. 2021: a tab after every cell; the systems of one pair are chosen by its column."""
    source = shared_data / "papers" / "wmt-metrics" / "wmt-scores-2017.tsv"
    lines = source.read_text(encoding="utf-8").split("\n")
    assert lines[1].endswith("\t")
    assert not lines[0].endswith("\t")
    systems = {line.split("\t")[2]: TextLines(("x",)) for line in lines if line.startswith("2017\tde-en\t")}
    metric = ScoreFile("MacroF1", str(source), aggregate="system", select={"Langs": "de-en"})
    found = metric.for_systems(systems, TestSet((("r",),)))
    assert found["C-3MA.4958"].scores == (35.8,)
    assert len(found) == len(systems) == 11
    pair = put(tmp_path / "pair.tsv", "\n".join(line for line in lines if line.startswith(("Year", "2017\tde-en"))))
    board = ScoreTables(tables=[str(pair)], metadata=["Year"]).read()
    assert [column.name for column in board.metrics][:3] == ["Human", "BLEU_m", "BLEU"]
