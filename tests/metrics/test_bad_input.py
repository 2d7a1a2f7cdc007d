"""What every metric does with input that is bad or merely strange: a defined score, or an error that says where."""

from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import yaml

from clirbench.configuration.laboratories import config_parts
from clirbench.errors import AlignmentError, ConfigError
from clirbench.metrics.base import Metric
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF, MicroF
from clirbench.metrics.segments import SegmentScores
from clirbench.metrics.tokens import Tokeniser
from clirbench.types import TestSet
from tests.metrics.agreement import AWKWARD, corpus_score

MATCHING: list[Metric] = [BLEU(), BLEU(tokenize="intl"), ChrF(beta=1), ChrF(), ChrF(beta=3), ChrF(word_order=2)]
MATCHING += [MacroF(), MicroF()]


def named(metric: Metric) -> str:
    return metric.name


def rows_of(metric: Metric, hypotheses: list[str], references: list[str]) -> np.ndarray:
    test = TestSet((tuple(references),), tuple(references))
    return np.asarray(metric.score(metric.statistics(hypotheses, test)))


@pytest.mark.parametrize("metric", MATCHING, ids=named)
def test_empty_hypotheses_score_0(metric: Metric) -> None:
    assert corpus_score(metric, ["", " \t"], TestSet((("a cat", "two dogs bark"),))) == 0


@pytest.mark.parametrize("metric", MATCHING, ids=named)
def test_empty_references_match_nothing(metric: Metric) -> None:
    """The readers of corpora refuse an empty reference; a metric that meets one nevertheless has a defined score."""
    assert rows_of(metric, ["a cat", ""], ["", ""]).tolist() == [0, 0]


@pytest.mark.parametrize("metric", MATCHING, ids=named)
def test_perfect_text_scores_100(metric: Metric) -> None:
    text = ["two black cats sleep soundly", "one dog barks at them today"]
    assert corpus_score(metric, text, TestSet((tuple(text),))) == pytest.approx(100)


@pytest.mark.parametrize("metric", MATCHING, ids=named)
def test_one_token_segments_mixed_scripts_and_control_characters(metric: Metric) -> None:
    """Finite scores, row by row and summed; the sum of rows is what the corpus score comes from."""
    hypotheses, references = list(AWKWARD), list(reversed(AWKWARD))
    scores = rows_of(metric, hypotheses, references)
    assert scores.shape == (len(AWKWARD),)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()
    assert np.isfinite(corpus_score(metric, hypotheses, TestSet((tuple(references),), tuple(references))))


LONG = " ".join(f"word{i * i % 997}" for i in range(14_000))  # above 100,000 characters
OTHER = " ".join(f"word{i * 7 % 991}" for i in range(14_000))


@pytest.mark.parametrize("metric", MATCHING, ids=named)
def test_segments_of_100_000_characters_and_lone_surrogates(metric: Metric) -> None:
    assert np.isfinite(rows_of(metric, [LONG, "a \ud800 b"], [OTHER, "a \ud800 b"])).all()


@pytest.mark.parametrize("metric", MATCHING, ids=named)
def test_no_segments_at_all(metric: Metric) -> None:
    assert metric.statistics([], TestSet(((),), ())).shape[0] == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BLEU(tokenize="13b"), "tokenize='13b' is not one of 13a, intl"),
        (lambda: BLEU(smooth_method="add"), "smooth_method='add' is not one of exp, floor"),
        (lambda: BLEU(max_ngram_order=0), "max_ngram_order=0 must be a number of at least 1"),
        (lambda: ChrF(beta=-1), "beta=-1 must be a number of at least 0"),
        (lambda: ChrF(char_order=0), "char_order [+] word_order=0"),
        (lambda: MacroF(beta=-1), "MacroF: beta=-1 must be a number of at least 0"),
        (lambda: MicroF(k=-2), "MicroF: k=-2 must be a number of at least 0"),
        (lambda: MacroF(tokenize="words"), "tokenize='words' is not one of"),
        (lambda: SegmentScores((1.0,), "m", "mode"), "aggregate='mode' is not one of mean, median, system"),
        (lambda: Tokeniser("14a"), "tokenize='14a' is not one of 13a, intl, zh"),
    ],
)
def test_bad_values_are_config_errors(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()


@pytest.mark.parametrize("metric", MATCHING, ids=named)
def test_unequal_line_counts_are_an_error(metric: Metric) -> None:
    with pytest.raises(AlignmentError, match="3 hypotheses for references of 2 lines"):
        metric.statistics(["a", "b", "c"], TestSet((("a", "b"),)))


FILES = sorted(path for folder in config_parts("metric") for path in folder.glob("*.yaml"))
# Names with + or brackets, which no key of a configuration can spell.
SPELT = {"chrFpp": "chrF++", "BLEUplus1": "BLEU+1"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_yaml_and_component_agree(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    ((key, options),) = yaml.safe_load(text).items()
    module, _, name = options.pop("_target_").rpartition(".")
    component = getattr(import_module(module), name)
    assert set(options) == {field.name for field in fields(component)}
    assert (key, options["name"]) == (path.stem, SPELT.get(key, key))
    if "${" not in text:
        made = component(**options | ({"path": "{system}"} if "path" in options else {}))
        assert made.name == options["name"]
        assert made.signature.startswith(made.name + "|")
