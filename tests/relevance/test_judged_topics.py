"""Topics that people judged without finding a relevant document, from the command line to the tables."""

import csv
from pathlib import Path

import pytest

from tests.conftest import Cli, write_lines

Values = dict[str, list[float]]
Judged = dict[str, set[int]]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


def collection(folder: Path) -> Path:
    """100 lines; alpha stands in documents 1 and 2, beta in 3, gamma in 4; q3 (gamma) is judged, none is relevant.

    System a finds what is relevant and returns ten false documents for q3; b misses document 2 and returns one; c
    misses document 1 and 2 of q1 and nothing of q3 comes back.
    """
    english = [f"filler{i} word{i}" for i in range(1, 101)]
    found = {1: "alpha", 2: "alpha", 3: "beta", 4: "gamma"}
    english = [f"{found.get(i, '')} {line}".strip() for i, line in enumerate(english, start=1)]
    a = [line if i not in range(50, 59) else f"gamma {line}" for i, line in enumerate(english, start=1)]
    b = [line.replace("alpha", "omega") if i == 2 else line for i, line in enumerate(english, start=1)]
    c = [line.replace("alpha", "omega").replace("gamma", "omega") for line in english]
    write_lines(folder / "reference.txt", english)
    (folder / "systems").mkdir()
    for name, lines in {"a": a, "b": b, "c": c}.items():
        write_lines(folder / "systems" / f"{name}.txt", lines)
    write_lines(folder / "topics.tsv", ["topic_id\ttitle", "q1\talpha", "q2\tbeta", "q3\tgamma"])
    write_lines(folder / "people.qrels", ["q1 0 001 1", "q1 0 002 1", "q2 0 003 1", "q3 0 004 0"])
    return folder


MEASURES = "measures=[MAP,'AQWV(at=0)','mAQWV(at=0)','AQWV(at=0,empty=no_miss)']"


def test_false_alarms_of_topics_without_relevant_documents_count(cli: Cli, tmp_path: Path) -> None:
    """By hand, every match returned, beta 40. q1, q2: a 1, 1; b .5, 1; c 0, 1. q3: P_fa is .10, .01, 0.

    drop: the mean of q1 and q2 (a 1, b .75, c .5). modified: 1 - mean P_miss of q1, q2 - 40 * mean P_fa of q1, q2, q3
    (a 1 - 4/3; b .75 - .4/3; c .5): the order is reversed at its head. no_miss: q3 is 1 - 40 P_fa (a -3, b .6, c 1).
    """
    (folder := tmp_path / "data").mkdir()
    collection(folder)
    done = cli(
        "+experiment=folder",
        "folder=data",
        "topics=tsv",
        "topics.path=data/topics.tsv",
        "relevance=qrels",
        "relevance.path=data/people.qrels",
        "relevance.judged_by=people",
        "metric=[BLEU]",
        MEASURES,
        "hydra.run.dir=out",
    )
    assert done.returncode == 0, done.stderr
    values = {
        row.pop("system"): {name: float(cell) for name, cell in row.items()}
        for row in rows(tmp_path / "out/systems.tsv")
    }
    expected = {
        "AQWV(at=0)": {"a": 1, "b": 0.75, "c": 0.5},
        "mAQWV(at=0)": {"a": 1 - 4 / 3, "b": 0.75 - 0.4 / 3, "c": 0.5},
        "AQWV(at=0,empty=no_miss)": {"a": (2 - 3) / 3, "b": (1.5 + 0.6) / 3, "c": (0 + 1 + 1) / 3},
        "MAP": {"a": 1, "b": 0.75, "c": 0.5},
    }
    for measure, by_system in expected.items():
        assert {s: values[s][measure] for s in "abc"} == pytest.approx(by_system), measure
    topics = {(row["measure"], row["topic_id"]) for row in rows(tmp_path / "out/per_topic.tsv")}
    assert ("mAQWV(at=0)", "q3") in topics
    assert ("MAP", "q3") not in topics
    assert "q3 0 004 0" in (tmp_path / "out/trec/qrels.txt").read_text(encoding="utf-8")
    assert "1 judged without a relevant document (q3)" in (tmp_path / "out/report.md").read_text(encoding="utf-8")
