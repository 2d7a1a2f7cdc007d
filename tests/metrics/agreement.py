"""What the tests of metrics share: reading real test sets, and sacreBLEU's numbers for the same text."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clirbench.metrics.base import Metric
from clirbench.text import TextFile
from clirbench.types import Doubles, TestSet


def lines(path: Path) -> tuple[str, ...]:
    return TextFile(path).lines()


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def corpus_score(metric: Metric, hypotheses: Sequence[str], test: TestSet) -> float:
    return float(metric.score(np.asarray(metric.statistics(hypotheses, test).sum(axis=0))))


def library_rows(library: Any, hypotheses: Sequence[str], test: TestSet) -> Doubles:
    """The segment statistics that sacreBLEU itself sums."""
    extracted = library._extract_corpus_statistics(list(hypotheses), [list(r) for r in test.references])
    return np.array(extracted, dtype=np.float64)


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
