"""What the laboratory's metrics do with input that is bad or merely strange: the core's checks, and what differs."""

from collections.abc import Callable

import pytest

from clirbench.configuration.composing import config_parts
from clirbench.errors import AlignmentError, ConfigError
from clirbench.labs.papers.error_rates import TER, WER
from clirbench.labs.papers.word_metrics import BLEUPlus1, LengthRatio, RandomMetric, SentBLEU, TypeCount
from clirbench.metrics.base import Metric
from clirbench.types import TestSet
from tests.metrics import test_bad_input as core
from tests.metrics.agreement import AWKWARD, corpus_score
from tests.metrics.test_bad_input import LONG, OTHER, named, rows_of
from tests.metrics.test_tokens import light

MATCHING: list[Metric] = [SentBLEU(), BLEUPlus1()]
ERRORS: list[Metric] = [WER(), TER()]
BASELINES: list[Metric] = [LengthRatio(), TypeCount(), RandomMetric()]
ALL = MATCHING + ERRORS + BASELINES


@pytest.mark.parametrize("metric", MATCHING, ids=named)
def test_empty_hypotheses_score_0(metric: Metric) -> None:
    core.test_empty_hypotheses_score_0(metric)


@pytest.mark.parametrize("metric", ERRORS, ids=named)
def test_empty_hypotheses_miss_every_word(metric: Metric) -> None:
    assert corpus_score(metric, ["", ""], TestSet((("a cat", "two dogs bark"),))) == 100


def test_empty_references_match_nothing() -> None:
    core.test_empty_references_match_nothing(BLEUPlus1())


def test_empty_references_of_sentbleu() -> None:
    """Moses adds one to unigrams as well: of two words against none (0 + 1) / (2 + 1) * (0 + 1) / (1 + 1)."""
    assert rows_of(SentBLEU(), ["a cat", ""], ["", ""]).tolist() == pytest.approx([100 * (1 / 6) ** 0.25, 0])


@pytest.mark.parametrize("metric", ERRORS, ids=named)
def test_errors_against_empty_references(metric: Metric) -> None:
    assert rows_of(metric, ["a cat", ""], ["", ""]).tolist() == [100, 0]


@pytest.mark.parametrize("metric", MATCHING, ids=named)
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


@pytest.mark.parametrize("metric", [m for m in ALL if m.name != "TER"], ids=named)
def test_segments_of_100_000_characters(metric: Metric) -> None:
    core.test_segments_of_100_000_characters(metric)


def test_ter_of_one_long_segment() -> None:
    """sacreBLEU's search takes a minute for 1,000 such words, and no longer for more: it stops at 1,000 candidates."""
    long, other = (" ".join(text.split()[:150]) for text in (LONG, OTHER))
    assert 0 < rows_of(TER(), [long], [other])[0] <= 200


@pytest.mark.parametrize("metric", ALL, ids=named)
def test_unequal_line_counts_are_an_error(metric: Metric) -> None:
    with pytest.raises(AlignmentError, match="1 hypotheses for references of 2 lines"):
        metric.statistics(["a"], TestSet((("a", "b"),), ("a", "b")))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WER(tokenize="moses"), "tokenize='moses' is not one of"),
        (lambda: SentBLEU(smoothing=-1), "smoothing=-1 must be a number of at least 0"),
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
    light([f"labs.papers.{name}" for name in ("error_rates", "word_metrics", "query_aware")])


def test_every_metric_of_the_papers_is_there() -> None:
    wanted = "BLEU chrF1 chrF2 chrF3 chrFpp TER MacroF1 MicroF1 WER"
    wanted += " SentBLEU BLEUplus1 LengthRatio TypeCount Random BLEURTmean BLEURTmedian"
    assert set(wanted.split()) <= {path.stem for folder in config_parts("metric") for path in folder.glob("*.yaml")}
