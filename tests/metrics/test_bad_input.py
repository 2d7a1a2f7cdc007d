"""What every metric does with input that is bad or merely strange: a defined score, or an error that says where."""

from dataclasses import replace

import numpy as np
import pytest

from clirbench.errors import InputError
from clirbench.labs.papers.metrics.bad_segments import BS, TotalBS
from clirbench.labs.papers.metrics.baselines import CopyRate, LengthRatio, RandomMetric, TypeCount
from clirbench.labs.papers.metrics.by_nltk import METEOR, RIBES
from clirbench.labs.papers.metrics.error_rates import CDER, PER, WER
from clirbench.labs.papers.metrics.nist import NIST
from clirbench.labs.papers.metrics.query_aware import TermF
from clirbench.labs.papers.metrics.sentence_bleu import BLEUPlus1, SentBLEU
from clirbench.metrics.base import Metric
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF, MacroPrecision, MacroRecall, MicroF
from clirbench.metrics.ter import TER
from clirbench.retrieval.analyzers.english import English
from clirbench.types import TestSet
from tests.metrics.agreement import AWKWARD, corpus_score

MATCHING: list[Metric] = [BLEU(), BLEU(tokenize="intl"), SentBLEU(), BLEUPlus1(), NIST(), RIBES()]
MATCHING += [METEOR(synonyms=False), ChrF(beta=1), ChrF(), ChrF(beta=3), ChrF(word_order=2)]
MATCHING += [MacroF(), MicroF(), MacroPrecision(), MacroRecall()]
MATCHING += [TermF(English()), TermF(English(), average="micro", weights="idf")]
ERRORS: list[Metric] = [TER(), WER(), PER(), CDER(), BS(), TotalBS()]
BASELINES: list[Metric] = [LengthRatio(), TypeCount(), CopyRate(), RandomMetric()]
ALL = MATCHING + ERRORS + BASELINES
# What a reference of 100 has where the hypothesis is the reference: the same words in the same order.
PERFECT = [m for m in MATCHING if m.name not in ("NIST", "METEOR(nltk)")]


def named(metric: Metric) -> str:
    return metric.name


def rows_of(metric: Metric, hypotheses: list[str], references: list[str]) -> np.ndarray:
    test = TestSet((tuple(references),), tuple(references))
    return np.asarray(metric.score(metric.statistics(hypotheses, test)))


@pytest.mark.parametrize("metric", MATCHING, ids=named)
def test_empty_hypotheses_score_0(metric: Metric) -> None:
    assert corpus_score(metric, ["", " \t"], TestSet((("a cat", "two dogs bark"),))) == 0


@pytest.mark.parametrize("metric", ERRORS, ids=named)
def test_empty_hypotheses_miss_every_word(metric: Metric) -> None:
    # Bad segments of 2 and 3 words: on average 2.5 words, and (ln 3 + ln 4) / 2.
    expected = {"TOTAL-BS": 2.5, "BS": (np.log(3) + np.log(4)) / 2}.get(metric.name, 100)
    assert corpus_score(metric, ["", ""], TestSet((("a cat", "two dogs bark"),))) == pytest.approx(expected)


@pytest.mark.parametrize("metric", [m for m in MATCHING if m.name != "SentBLEU"], ids=named)
def test_empty_references_match_nothing(metric: Metric) -> None:
    """The readers of corpora refuse an empty reference; a metric that meets one nevertheless has a defined score."""
    assert rows_of(metric, ["a cat", ""], ["", ""]).tolist() == [0, 0]


def test_empty_references_of_sentbleu() -> None:
    """Moses adds one to unigrams as well: of two words against none (0 + 1) / (2 + 1) * (0 + 1) / (1 + 1)."""
    assert rows_of(SentBLEU(), ["a cat", ""], ["", ""]).tolist() == pytest.approx([100 * (1 / 6) ** 0.25, 0])


@pytest.mark.parametrize("metric", [TER(), WER(), PER(), CDER()], ids=named)
def test_errors_against_empty_references(metric: Metric) -> None:
    assert rows_of(metric, ["a cat", ""], ["", ""]).tolist() == [100, 0]


@pytest.mark.parametrize("metric", PERFECT, ids=named)
def test_perfect_text_scores_100(metric: Metric) -> None:
    text = ["two black cats sleep soundly", "one dog barks at them today"]
    assert corpus_score(metric, text, TestSet((tuple(text),))) == pytest.approx(100)


@pytest.mark.parametrize("metric", ERRORS, ids=named)
def test_perfect_text_has_no_errors(metric: Metric) -> None:
    assert corpus_score(metric, list(AWKWARD), TestSet((AWKWARD,))) == 0


@pytest.mark.parametrize("metric", ALL, ids=named)
def test_one_token_segments_mixed_scripts_and_control_characters(metric: Metric) -> None:
    """Finite scores, row by row and summed; the sum of rows is what the corpus score comes from."""
    hypotheses, references = list(AWKWARD), list(reversed(AWKWARD))
    scores = rows_of(metric, hypotheses, references)
    assert scores.shape == (len(AWKWARD),)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()
    assert np.isfinite(corpus_score(metric, hypotheses, TestSet((tuple(references),), tuple(references))))


@pytest.mark.parametrize("metric", ALL, ids=named)
def test_lone_surrogates_are_characters(metric: Metric) -> None:
    assert np.isfinite(rows_of(metric, ["a \ud800 b", "c"], ["a \ud800 b", "c"])).all()


LONG = " ".join(f"word{i * i % 997}" for i in range(14_000))  # above 100,000 characters
OTHER = " ".join(f"word{i * 7 % 991}" for i in range(14_000))


@pytest.mark.parametrize("metric", [m for m in ALL if m.name not in ("RIBES", "METEOR(nltk)", "TER")], ids=named)
def test_segments_of_100_000_characters(metric: Metric) -> None:
    assert len(LONG) > 100_000
    scores = rows_of(metric, [LONG, "a"], [OTHER, "a"])
    assert np.isfinite(scores).all()


@pytest.mark.slow
def test_ter_of_100_000_characters() -> None:
    assert 0 < rows_of(TER(), [LONG], [OTHER])[0] <= 200


def test_ribes_refuses_what_nltk_cannot_align() -> None:
    with pytest.raises(InputError, match="RIBES: line 1 has 14000 words, nltk aligns at most 2000"):
        rows_of(RIBES(), [LONG], ["a"])


@pytest.mark.parametrize("metric", ALL, ids=named)
def test_no_segments_at_all(metric: Metric) -> None:
    assert metric.statistics([], TestSet(((),), ())).shape[0] == 0


@pytest.mark.parametrize("metric", ALL, ids=named)
def test_signatures_say_name_and_version(metric: Metric) -> None:
    assert metric.signature.startswith(metric.name + "|")
    assert replace(metric).signature == metric.signature  # type: ignore[type-var]  # metrics are dataclasses
