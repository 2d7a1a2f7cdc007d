"""Conditions side by side: which metric is best where, what it changes with, and what the page and the text say."""

from math import nan
from pathlib import Path

import pytest

from clirbench.report.conditions import (
    DECIDED,
    Condition,
    UniverseTau,
    changes,
    decided_changes,
    failures,
    findings,
    of_universes,
    write,
)
from clirbench.statistics.correlation import Correlation


def condition(settings: str, failed: str = "", link: str = "", **taus: float) -> Condition:
    rows = {
        ("MAP", metric): Correlation("MAP", metric, "kendall", tau, nan, 9, "undefined") for metric, tau in taus.items()
    }
    return Condition(dict(part.split("=") for part in settings.split()), rows, link, failed)


SIX = [
    condition("k=1 b=.4", BLEU=0.9, TER=0.1, link="0/report.html"),
    condition("k=1 b=.8", BLEU=0.8, TER=0.8),
    condition("k=3 b=.4", BLEU=0.2, TER=0.5),
    condition("k=3 b=.8", BLEU=0.7, TER=0.6),
    condition("k=9 b=.4", BLEU=0.1, TER=0.3),
    condition("k=9 b=.8", BLEU=-0.2, TER=0.3),
]


def test_what_the_best_metric_changes_with() -> None:
    assert changes(SIX, "MAP", "k") == (2, 4), "a metric that shares the first place is best too"
    assert changes(SIX, "MAP", "b") == (1, 3)
    first, note = findings(SIX)
    assert first == (
        "MAP: the highest tau of 6 conditions has TER in 4 and BLEU in 3. "
        "The best metric changes with k in 2 of 4 and with b in 1 of 3."
    )
    assert "not tested" in note


def test_what_it_does_not_change_with() -> None:
    same = [condition("k=1", BLEU=0.5, TER=0.1), condition("k=3", BLEU=0.4, TER=0.1), condition("k=9")]
    assert "The best metric changes with k in 0 of 1." in next(findings(same))
    assert "changes with" not in next(findings(same[:1])), "one condition has nothing to be compared with"


def test_no_metric_is_best_where_none_is_above_zero() -> None:
    assert condition("k=1", BLEU=-0.5, TER=-0.1).best("MAP") == frozenset()
    assert list(findings([condition("k=1", failed="x")])) == []


def test_failed_conditions_have_their_reason() -> None:
    assert list(failures([*SIX, condition("k=0 b=.4", failed="no topic")])) == ["k=0 b=.4 has no results: no topic"]


def test_page_and_text(tmp_path: Path) -> None:
    evil = condition("k=<b>|", failed="<script>x</script>")
    write(tmp_path, "Conditions: k, b", [*SIX, evil])
    text = (tmp_path / "sweep.md").read_text(encoding="utf-8")
    assert "| [k=1 b=.4](0/report.html) | **.900 ?** | .100 ? |" in text
    assert r"| k=\<b\>\| | – | – |" in text
    page = (tmp_path / "sweep.html").read_text(encoding="utf-8")
    assert '<a href="0/report.html">k=1 b=.4</a>' in page
    assert "<script>x" not in page
    assert "k=&lt;b&gt;|" in page


def test_universes_are_conditions() -> None:
    rows = [
        UniverseTau(0, "relevance.k=5 retrieval.b=0.4", "MAP", "BLEU", 0.5, True),
        UniverseTau(0, "relevance.k=5 retrieval.b=0.4", "MAP", "TER", 0.25, False),
        UniverseTau(1, "relevance.k=9 retrieval.b=0.4", "MAP", "BLEU", nan, False, "constant"),
    ]
    first, second = of_universes(rows)
    assert first.settings == {"relevance.k": "5", "retrieval.b": "0.4"}
    assert first.best("MAP") == {"BLEU"}
    assert second.taus["MAP", "BLEU"].value != pytest.approx(0.5)
    assert second.best("MAP") == frozenset()


def test_what_changes_the_answer() -> None:
    metric, grade, system = DECIDED
    given = [("3", "open", "a"), ("10", "weak", "a"), ("100", "open", "b")]
    made = [
        Condition({"k": k}, answer="x", decided={metric: "BLEU", grade: word, system: name}) for k, word, name in given
    ]
    assert list(decided_changes([*made, Condition({"k": "5"}, failed="x")])) == [
        "The metric with the best evidence changes with k in 0 of 2.",
        "Its grade changes with k in 1 of 2.",
        "The recommended system changes with k in 1 of 2.",
    ]
    assert list(decided_changes(made[:1])) == []
