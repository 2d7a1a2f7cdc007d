"""Scores laid out as other programs write them; each layout's source is named."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from clirbench.errors import InputError
from clirbench.files.score_tables import ScoreTables
from clirbench.metrics.score_files import ScoreFile
from clirbench.metrics.segments import per_system
from clirbench.text import TextLines
from clirbench.types import TestSet

TEST = TestSet((("r1", "r2", "r3"),))
TEXTS = {"a": TextLines(("x", "y", "z")), "b": TextLines(("x", "y", "w"))}


def means(path: Path, name: str = "m", **options: object) -> Mapping[str, float]:
    metric = ScoreFile(name, str(path), **options)  # type: ignore[arg-type]
    return {
        system: float(one.score(np.asarray(one.statistics(TEXTS[system].lines(), TEST).sum(axis=0)).reshape(-1)))
        for system, one in per_system(metric, TEXTS, TEST).items()
    }


def put(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


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
    put(both, '{"system_id": "a", "hypothesis": "h"}\n')
    with pytest.raises(InputError, match=r"line 1: no number under prediction, score or COMET; keys: system_id"):
        means(both)
    put(both, metricx("a", 0) + "{cut\n")
    with pytest.raises(InputError, match=r"output\.jsonl: line 4: not JSON"):
        means(both)


def test_one_number_a_line(tmp_path: Path) -> None:
    """github.com/google-research/bleurt, bleurt/score_files.py writes str(score); github.com/MicrosoftTranslator/GEMBA,
    gemba/cli.py prints each answer, None where the model gave none, and with --list_mqm_errors the errors."""
    for system in TEXTS:
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


def test_people_of_mt_metrics_eval(tmp_path: Path) -> None:
    """README of mt-metrics-eval: missing entries are marked with None; GEMBA's gemba/scores.py writes the same layout,
    to_csv(sep=tab, header=False, na_rep="None")."""
    path = put(tmp_path / "en-de.mqm.seg.score", "a\tNone\na\t-1\na\t-3\nb\tNone\nb\tNone\nb\tNone\n")
    assert means(path, missing="hole") == {"a": -2}


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
