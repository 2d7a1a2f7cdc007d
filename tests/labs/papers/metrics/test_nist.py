"""NIST on cases worked by hand after mteval-v13a, and against a plain count of the same definition."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from clirbench.errors import AlignmentError, ConfigError
from clirbench.labs.papers.metrics.nist import NIST
from clirbench.types import TestSet
from tests.metrics.agreement import corpus_score, lines


def test_one_reference_worked_by_hand() -> None:
    # References: "a b a c" and "a d", 6 words: a 3, b 1, c 1, d 1; ab 1, ba 1, ac 1, ad 1; aba 1, bac 1; abac 1.
    # Information: a log2(6/3) = 1, b, c, d log2(6) each; ab, ac, ad log2(3/1); ba log2(1/1) = 0.
    # Hypotheses: "a c b" matches a, c, b and ac; "d d a" matches d once and a. Length 6 = 6: no penalty.
    test = TestSet((("a b a c", "a d"),))
    unigrams = (1 + 2 * math.log2(6)) + (math.log2(6) + 1)
    bigrams = math.log2(3)
    # 6 unigrams, 4 bigrams, 2 trigrams without match; no longer n-grams.
    expected = unigrams / 6 + bigrams / 4
    assert corpus_score(NIST(), ["a c b", "d d a"], test) == pytest.approx(expected, abs=1e-12)


def test_length_penalty_worked_by_hand() -> None:
    # Two of three words: ratio 2/3 is where the penalty is 1/2. Information of a, b: log2(3); ab: log2(1/1) = 0.
    test = TestSet((("a b c",),))
    assert corpus_score(NIST(), ["a b"], test) == pytest.approx(0.5 * math.log2(3), abs=1e-12)
    # Longer than the reference: no penalty. 4 words, a, b and c match; no bigram: "a x b c" has bc, log2(1/1) = 0.
    assert corpus_score(NIST(), ["a x b c"], test) == pytest.approx(3 * math.log2(3) / 4, abs=1e-12)
    assert corpus_score(NIST(), [""], test) == 0


def test_two_references_worked_by_hand() -> None:
    # "a a" and "b": 3 words; a log2(3/2), b log2(3); aa log2(2/1) = 1. Mean length 1.5.
    # "a b": a and b match (each against the reference that has it), 2 words: (log2(3/2) + log2(3)) / 2.
    test = TestSet((("a a",), ("b",)))
    expected = (math.log2(1.5) + math.log2(3)) / 2
    assert corpus_score(NIST(), ["a b"], test) == pytest.approx(expected, abs=1e-12)


def test_case_is_lowered_unless_kept() -> None:
    test = TestSet((("A b",),))
    assert corpus_score(NIST(), ["a B"], test) > corpus_score(NIST(lowercase=False), ["a B"], test) == 0


def plain_nist(hypotheses: list[list[str]], references: list[list[str]], order: int = 5) -> float:
    """The definition counted the slow, obvious way, for one reference."""

    def grams(words: list[str]) -> Counter[tuple[str, ...]]:
        return Counter(tuple(words[i : i + n]) for n in range(1, order + 1) for i in range(len(words) - n + 1))

    known = sum((grams(words) for words in references), Counter[tuple[str, ...]]())
    total = sum(map(len, references))
    information = np.zeros(order)
    counts = np.zeros(order)
    for ours, theirs in zip(hypotheses, references, strict=True):
        for gram, count in grams(ours).items():
            counts[len(gram) - 1] += count
            matched = min(count, grams(theirs)[gram])
            if matched:
                above = known[gram[:-1]] if len(gram) > 1 else total
                information[len(gram) - 1] += matched * math.log2(above / known[gram])
    ratio = min(1.0, sum(map(len, hypotheses)) / total)
    penalty = math.exp(math.log(0.5) * (math.log(ratio) / math.log(1.5)) ** 2)
    return float((information / np.maximum(counts, 1)).sum() * penalty)


def test_real_text_equals_the_plain_count(shared_data: Path) -> None:
    folder = shared_data / "wmt21" / "is-en"
    reference = lines(folder / "reference-A.txt")[:300]
    hypotheses = lines(sorted((folder / "systems").glob("*.txt"))[0])[:300]
    metric = NIST(tokenize="none", lowercase=False)
    expected = plain_nist([h.split() for h in hypotheses], [r.split() for r in reference])
    assert corpus_score(metric, hypotheses, TestSet((reference,))) == pytest.approx(expected, abs=1e-9)


def test_errors() -> None:
    with pytest.raises(ConfigError, match="max_ngram_order=0 must be a number of at least 1"):
        NIST(max_ngram_order=0)
    with pytest.raises(AlignmentError, match="2 hypotheses for references of 1 lines"):
        NIST().statistics(["a", "b"], TestSet((("a",),)))
