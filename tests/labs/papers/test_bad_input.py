"""What the laboratory's metrics do with input that is bad or merely strange: the core's checks, and what differs."""

from collections.abc import Callable

import numpy as np
import pytest

from clirbench.configuration.composing import config_parts
from clirbench.errors import AlignmentError, ConfigError, InputError
from clirbench.labs.papers.error_rates import BS, CDER, PER, TER, WER, TotalBS
from clirbench.labs.papers.query_aware import TermF
from clirbench.labs.papers.word_metrics import (
    METEOR,
    NIST,
    RIBES,
    BLEUPlus1,
    CopyRate,
    LengthRatio,
    RandomMetric,
    SentBLEU,
    TypeCount,
)
from clirbench.metrics.base import Metric
from clirbench.retrieval.analyzers import English
from clirbench.types import TestSet
from tests.metrics import test_bad_input as core
from tests.metrics.agreement import AWKWARD, corpus_score
from tests.metrics.test_bad_input import LONG, OTHER, named, rows_of
from tests.metrics.test_tokens import light

MATCHING: list[Metric] = [SentBLEU(), BLEUPlus1(), NIST(), RIBES(), METEOR(synonyms=False)]
MATCHING += [TermF(English()), TermF(English(), average="micro", weights="idf")]
ERRORS: list[Metric] = [WER(), PER(), CDER(), TER(), BS(), TotalBS()]
BASELINES: list[Metric] = [LengthRatio(), TypeCount(), CopyRate(), RandomMetric()]
ALL = MATCHING + ERRORS + BASELINES
# What a reference of 100 has where the hypothesis is the reference: the same words in the same order.
PERFECT = [m for m in MATCHING if m.name not in ("NIST", "METEOR(nltk)")]


@pytest.mark.parametrize("metric", MATCHING, ids=named)
def test_empty_hypotheses_score_0(metric: Metric) -> None:
    core.test_empty_hypotheses_score_0(metric)


@pytest.mark.parametrize("metric", ERRORS, ids=named)
def test_empty_hypotheses_miss_every_word(metric: Metric) -> None:
    # Bad segments of 2 and 3 words: on average 2.5 words, and (ln 3 + ln 4) / 2.
    expected = {"TOTAL-BS": 2.5, "BS": (np.log(3) + np.log(4)) / 2}.get(metric.name, 100)
    assert corpus_score(metric, ["", ""], TestSet((("a cat", "two dogs bark"),))) == pytest.approx(expected)


@pytest.mark.parametrize("metric", [m for m in MATCHING if m.name != "SentBLEU"], ids=named)
def test_empty_references_match_nothing(metric: Metric) -> None:
    core.test_empty_references_match_nothing(metric)


def test_empty_references_of_sentbleu() -> None:
    """Moses adds one to unigrams as well: of two words against none (0 + 1) / (2 + 1) * (0 + 1) / (1 + 1)."""
    assert rows_of(SentBLEU(), ["a cat", ""], ["", ""]).tolist() == pytest.approx([100 * (1 / 6) ** 0.25, 0])


@pytest.mark.parametrize("metric", [WER(), PER(), CDER(), TER()], ids=named)
def test_errors_against_empty_references(metric: Metric) -> None:
    assert rows_of(metric, ["a cat", ""], ["", ""]).tolist() == [100, 0]


@pytest.mark.parametrize("metric", PERFECT, ids=named)
def test_perfect_text_scores_100(metric: Metric) -> None:
    core.test_perfect_text_scores_100(metric)


@pytest.mark.parametrize("metric", ERRORS, ids=named)
def test_perfect_text_has_no_errors(metric: Metric) -> None:
    assert corpus_score(metric, list(AWKWARD), TestSet((AWKWARD,))) == 0


@pytest.mark.parametrize("metric", ALL, ids=named)
def test_one_token_segments_mixed_scripts_and_control_characters(metric: Metric) -> None:
    core.test_one_token_segments_mixed_scripts_and_control_characters(metric)


@pytest.mark.parametrize("metric", ALL, ids=named)
def test_lone_surrogates_are_characters(metric: Metric) -> None:
    core.test_lone_surrogates_are_characters(metric)


@pytest.mark.parametrize("metric", [m for m in ALL if m.name not in ("RIBES", "METEOR(nltk)", "TER")], ids=named)
def test_segments_of_100_000_characters(metric: Metric) -> None:
    core.test_segments_of_100_000_characters(metric)


def test_ter_of_one_long_segment() -> None:
    """sacreBLEU's search takes a minute for 1,000 such words, and no longer for more: it stops at 1,000 candidates."""
    long, other = (" ".join(text.split()[:150]) for text in (LONG, OTHER))
    assert 0 < rows_of(TER(), [long], [other])[0] <= 200


def test_ribes_refuses_what_nltk_cannot_align() -> None:
    with pytest.raises(InputError, match="RIBES: line 1 has 14000 words, nltk aligns at most 2000"):
        rows_of(RIBES(), [LONG], ["a"])


@pytest.mark.parametrize("metric", ALL, ids=named)
def test_unequal_line_counts_are_an_error(metric: Metric) -> None:
    with pytest.raises(AlignmentError, match="1 hypotheses for references of 2 lines"):
        metric.statistics(["a"], TestSet((("a", "b"),), ("a", "b")))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PER(tokenize="moses"), "tokenize='moses' is not one of"),
        (lambda: SentBLEU(smoothing=-1), "smoothing=-1 must be a number of at least 0"),
        (lambda: NIST(max_ngram_order=0), "max_ngram_order=0 must be a number of at least 1"),
        (lambda: RIBES(alpha=-1), "RIBES: alpha=-1 must be a number of at least 0"),
        (lambda: METEOR(gamma=-1, synonyms=False), r"METEOR\(nltk\): gamma=-1"),
    ],
)
def test_wrong_settings_are_refused(make: Callable[[], Metric], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()


@pytest.mark.parametrize("metric", ALL, ids=named)
def test_no_segments_at_all(metric: Metric) -> None:
    core.test_no_segments_at_all(metric)


@pytest.mark.parametrize("metric", ALL, ids=named)
def test_signatures_say_name_and_version(metric: Metric) -> None:
    core.test_signatures_say_name_and_version(metric)


def test_importing_metrics_is_light() -> None:
    light([f"labs.papers.{name}" for name in ("error_rates", "word_metrics", "by_nltk", "query_aware")])


def test_every_metric_of_the_papers_is_there() -> None:
    wanted = "BLEU chrF1 chrF2 chrF3 chrFpp TER MacroF1 MicroF1 NIST WER PER CDER RIBES METEOR BS TOTAL-BS"
    wanted += " SentBLEU BLEUplus1 LengthRatio TypeCount CopyRate Random BLEURTmean BLEURTmedian"
    assert set(wanted.split()) <= {path.stem for folder in config_parts("metric") for path in folder.glob("*.yaml")}
