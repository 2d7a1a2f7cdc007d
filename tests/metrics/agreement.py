"""What the tests of metrics share: reading real test sets, and sacreBLEU's numbers for the same text."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clirbench.metrics.base import Metric
from clirbench.metrics.segments import per_system
from clirbench.text import Text, TextFile
from clirbench.types import TestSet

SETS = [f"wmt21/{pair}-en" for pair in ("cs", "de", "ha", "is", "ja", "ru", "zh")]
SETS += ["lignos2019/cs-en", "papers/snmt-vs-unmt/de-en", "papers/snmt-vs-unmt/en-de"]
TWO = [
    name if name in ("wmt21/is-en", "lignos2019/cs-en") else pytest.param(name, marks=pytest.mark.release)
    for name in SETS
]
"""One with two references and one with one; a release has all."""
ALL, FIRST, LAST = slice(None), slice(1), slice(-1, None)
"""Of the systems of a test set."""


def lines(path: Path) -> tuple[str, ...]:
    return TextFile(path).lines()


def corpus_score(metric: Metric, hypotheses: Sequence[str], test: TestSet) -> float:
    return float(metric.score(np.asarray(metric.statistics(hypotheses, test).sum(axis=0)).reshape(-1)))


def system_scores(metric: Metric, texts: Mapping[str, Text], test: TestSet) -> dict[str, float]:
    """The score of each system that the metric has one for."""
    found = per_system(metric, texts, test).items()
    return {system: corpus_score(one, texts[system].lines(), test) for system, one in found}


def test_set(folder: Path, limit: int | None) -> TestSet:
    """All references together where there are several: what single ones give is tested with each metric."""
    return TestSet(tuple(lines(path)[:limit] for path in sorted(folder.glob("reference*.txt"))))


test_set.__test__ = False  # type: ignore[attr-defined]


def agree(metric: Metric, library: Any, hypotheses: Sequence[str], test: TestSet) -> None:
    """Rows to the count, the corpus score and every sentence score to 1e-9; `library` holds its references."""
    rows = np.asarray(metric.statistics(hypotheses, test))
    expected = np.array(library._extract_corpus_statistics(list(hypotheses), None), dtype=float)
    np.testing.assert_array_equal(rows, expected)
    corpus = library._compute_score_from_stats(list(expected.sum(axis=0))).score
    assert float(metric.score(rows.sum(axis=0))) == pytest.approx(corpus, abs=1e-9)
    sentences = [library._compute_score_from_stats(list(row)).score for row in expected]
    np.testing.assert_allclose(metric.score(rows), sentences, rtol=0, atol=1e-9)


def check(folder: Path, which: slice, limit: int | None, pairs: Sequence[tuple[Metric, Any]]) -> None:
    test = test_set(folder, limit)
    systems = sorted((folder / "systems").glob("*.txt"))[which]
    assert systems
    for metric, library in pairs:
        library._ref_cache = library._cache_references([list(reference) for reference in test.references])
        for path in systems:
            agree(metric, library, lines(path)[:limit], test)


AWKWARD = (
    "",
    " ",
    "one",
    "a",
    "a a a a a a",
    "the cat sat on the mat .",
    "The cat, sat on the mat.",
    "1.2,3 4.,5 a..b a...b 1...2 1..2 a..2 .,.,.5 ,,, 5. .5 -5 5-6 5--6 a-b 10-",
    "&quot;quoted&quot; &amp;lt; &amp;amp;quot; &lt;skipped&gt; <skipped>gone &gt;&lt;",
    "x{y|z}~[a]b^c_d`e!f\"g#h$i%j&k(l)m*n+o:p;q<r=s>t?u@v/w\\'s don't",
    "no\u00a0break\u2003em\u3000wide\u2028line\u0085next\x1funit\x0bvt\ttab\rreturn\x0cfeed",
    "中文 字符,混排。English mixed кириллица العربية हिन्दी 🙂🙂 e\u0301",
    "\x00\x01\x02 control \x7f\x1b[0m",
    "(hi) 'hi' \"a\" ( ) !! ?x x? ... ''",
    "end with period .",
    "AT&T  R&D   a & b",
    "-\nsoft -\nhyphen new\nline trailing-\n",
    "ſ İ ß Ǆ",
)
