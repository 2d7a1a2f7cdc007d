"""Every analysis of every laboratory, on scores without segments and with a hole: no p without data behind it.

What is walked is found in the folders of configurations. Two tables of scores: one that exists per system only, where
one score is missing, and folders of texts with one metric whose scores are per system and one with a segment that has
no score. Expected is no number but a rule: a p-value rests on columns with values, and one of segments on segments.
"""

import math
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clirbench as cb
import clirbench.labs
from clirbench.configuration.laboratories import CONF, laboratories
from clirbench.errors import ClirbenchError
from tests.conftest import write_lines

ANALYSES = sorted(
    path.stem
    for folder in (CONF, *(folder / "conf" for folder in laboratories().values()))
    for path in (folder / "analyses").glob("*.yaml")
)
CHANCE = re.compile(r"p|p_(?!best).*|.*_p|different")
"""Columns that hold the probability of data like these by chance; `p_best` is the probability of being the best."""
DESCRIBED = ("kind", "rate", "size", "vocabulary")
"""What some analyses must know of systems: the kind and rate of their errors, the size and vocabulary of a training."""
TABLE_IS_NOT_ENOUGH = {"favoritism", "imbalance", "multiverse", "segment_level", "type_weights", "types"}
FOLDER_IS_NOT_ENOUGH = {"type_weights"}
"""Analyses that must refuse the run, in words: they read texts; they read what the table alone describes, or metrics
that are computed here. Every other one must be made."""
SYSTEMS = [f"s{n}" for n in range(10)]
PER_SYSTEM, SOME_SYSTEMS, HOLED = "COMET", "BLEURTmean", "MetricX"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """BLEU and an other metric .0001 apart and one NaN in it, two measures, and a column that groups systems."""
    rows = ["\t".join(("system", *DESCRIBED, "BLEU", "Other", "MAP", "nDCG"))]
    for n, name in enumerate(SYSTEMS):
        other = "" if n == 3 else f"{0.5 + n / 10_000:.4f}"
        told = (name, "word" if n else "none", n / 20, 1000 * (1 + n % 5), 500 * (1 + n // 5))
        rows.append(
            "\t".join(map(str, told)) + f"\t{20 + n * 7 % 10}\t{other}\t{0.2 + n * 3 % 10 / 50}\t{0.3 + n / 40}"
        )
    path = tmp_path_factory.mktemp("scores") / "scores.tsv"
    write_lines(path, rows)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, small_texts: Path) -> Path:
    """The small texts, scores per system (once none of every9), of segments (one missing in every3), and people's."""
    place = tmp_path_factory.mktemp("texts") / "mine"
    shutil.copytree(small_texts, place)
    for n in (4, 6, 7):
        lines = (small_texts / "systems" / "every9.txt").read_text().splitlines()
        short = [" ".join(w for i, w in enumerate(line.split()) if i % n) for line in lines]
        write_lines(place / "systems" / f"every{n}.txt", short)
    systems = (2, 3, 4, 5, 6, 7, 9)
    whole = [f"every{n}\t{0.5 + n / 10_000}" for n in systems]
    write_lines(place / "whole.tsv", whole)
    write_lines(place / "some.tsv", [*whole[:-1], "every9\tnan"])
    held = [(n, line, math.sin(n * line)) for n in systems for line in range(1, 61)]
    write_lines(place / "holed.tsv", [f"every{n}\t{'nan' if (n, line) == (3, 6) else s}" for n, line, s in held])
    people = [f"every{n}\t{line}\t{s + n}" for n, line, s in held]
    write_lines(place / "human-seg.tsv", ["system\tline\tscore", *people])
    return place


def outcome(name: str, source: str, cache: Path, **keys: Any) -> "cb.Outcome | str":
    """The run with one analysis, or the message of its refusal."""
    try:
        return cb.run(source, analysis=[name], paths__cache=cache, **keys)
    except ClirbenchError as error:
        return str(error)


def unfounded(made: "cb.Outcome", segments: Mapping[str, int], analysis: str) -> list[str]:
    """Each p-value below 1, of every table that was written, that rests on a column without the data for it."""
    found = []
    scores = made.systems
    for table, frame in made.tables.items():
        chance = [column for column in frame.columns if CHANCE.fullmatch(column)]
        for row in frame.to_dict("records"):
            where = f"{analysis}: {table}: {row}"
            ps = [
                float(row[column]) for column in chance if not isinstance(row[column], str) and row[column] is not None
            ]
            known = [p for p in ps if not math.isnan(p)]
            found += [f"no probability: {where}" for p in known if not 0 <= p <= 1]
            claimed = str(row.get("significant", "")).lower() in ("true", "yes")
            if claimed and chance and not known:
                found.append(f"significant without p: {where}")
            if not any(p < 1 for p in known):
                continue
            named = {str(cell) for cell in row.values()} & set(scores.columns)
            for column in named:
                values = scores[column].to_numpy(dtype=float)
                if len(set(values[np.isfinite(values)])) < 3:
                    found.append(f"{column} has no three values: {where}")
                elif int(row.get("n_systems") or 0) > np.isfinite(values).sum():
                    found.append(f"{column} has fewer systems: {where}")
            drawn = row.get("items") == "segments" or float(row.get("n_segments") or 0) > 0
            found += [
                f"{column} has no segments: {where}" for column in named & {*segments} if drawn and not segments[column]
            ]
    return found


@pytest.mark.parametrize("name", ANALYSES)
def test_of_scores_of_systems_with_a_hole(name: str, table: Path, tmp_path: Path) -> None:
    made = outcome(
        name,
        "scores",
        tmp_path / "cache",
        scores__tables=[str(table)],
        scores__measures=["MAP", "nDCG"],
        scores__missing="hole",
        scores__metadata=list(DESCRIBED),
        units="none",
        pair=["s0", "s1"],
    )
    assert isinstance(made, str) == (name in TABLE_IS_NOT_ENOUGH), made
    if isinstance(made, str):
        return
    assert not unfounded(made, dict.fromkeys(("BLEU", "Other", "MAP", "nDCG"), 0), name)
    assert any("Other" in note and "s3" in note for note in made.results["warnings"])


@pytest.mark.parametrize("name", ANALYSES)
def test_of_texts_with_a_metric_of_systems_and_a_segment_without_score(name: str, folder: Path, tmp_path: Path) -> None:
    keys = {
        "metric": ["BLEU", PER_SYSTEM, SOME_SYSTEMS, HOLED],
        f"metric__{PER_SYSTEM}__path": str(folder / "whole.tsv"),
        f"metric__{PER_SYSTEM}__aggregate": "system",
        f"metric__{SOME_SYSTEMS}__path": str(folder / "some.tsv"),
        f"metric__{SOME_SYSTEMS}__aggregate": "system",
        f"metric__{SOME_SYSTEMS}__missing": "hole",
        f"metric__{HOLED}__path": str(folder / "holed.tsv"),
        f"metric__{HOLED}__missing": "hole",
    }
    pair = ["every2", "every3"]
    made = outcome(
        name,
        "folder",
        tmp_path / "cache",
        folder=str(folder),
        pair=pair,
        topics="keyterms",
        topics__n=8,
        relevance__k=2,
        **keys,
    )
    assert isinstance(made, str) == (name in FOLDER_IS_NOT_ENOUGH), made
    if isinstance(made, str):
        return
    assert not unfounded(made, {"BLEU": 60, HOLED: 60, PER_SYSTEM: 0, SOME_SYSTEMS: 0}, name)
    assert any(
        note.startswith(f"{PER_SYSTEM}, {SOME_SYSTEMS}: one score a system") for note in made.results["warnings"]
    )
    if name == "segment_level":  # 7 systems of 60 lines, one of which has no score: by hand
        numbers = made.tables[name].query("coefficient == 'pearson'").set_index("metric").n
        assert numbers.to_dict() == {"BLEU": 420, HOLED: 419}
    for made_table, frame in made.tables.items():
        if made_table in ("segment_level", "favoritism"):
            assert not {PER_SYSTEM, SOME_SYSTEMS} & {*frame.astype(str).to_numpy().ravel().tolist()}
