"""Configuration -> Experiment: what is built, and what is refused with all errors at once."""

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig

from clirbench.__main__ import CONF
from clirbench.configuration.building import build, limits_of
from clirbench.errors import ConfigError, UnknownName
from clirbench.text import Limits


def composed(*overrides: str) -> DictConfig:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return compose("config", list(overrides))


def test_a_folder_experiment_is_built_from_plain_values() -> None:
    experiment = build(composed("+experiment=folder", "folder=somewhere"))
    assert experiment.name == "folder"
    assert [metric.name for metric in experiment.metrics] == ["BLEU", "chrF1", "chrF2", "MacroF1", "MicroF1"]
    assert [measure.name for measure in experiment.measures] == ["RBO(p=0.9)", "MAP", "RBO", "P@10", "R@10", "nDCG"]
    assert list(experiment.topics) == list(experiment.relevance) == [""]
    assert experiment.retriever is not None
    assert "k1:0.9" in experiment.retriever.signature
    assert "b:0.4" in experiment.retriever.signature


def test_further_retrievers_go_by_the_names_that_they_are_given() -> None:
    one = build(composed("+experiment=folder", "folder=x", "retrieval@also_retrieval=bm25s"))
    assert list(one.retrievers) == ["", "bm25s"]
    chosen = ("+retrieval@also_retrieval.short=bm25", "+retrieval@also_retrieval.both=fusion")
    two = build(composed("+experiment=folder", "folder=x", *chosen, "also_retrieval.short.depth=7"))
    assert list(two.retrievers) == ["", "short", "both"]
    assert [found.depth for found in two.also_retriever.values()] == [7, 1000]
    with pytest.raises(ConfigError, match=r"also_retrieval\.depth: no component is configured there"):
        build(composed("+experiment=folder", "folder=x", "+also_retrieval.depth=7"))


def test_every_metric_that_is_shipped_can_be_built() -> None:
    # These need files or programs of the user's, and say so.
    local = {"BLEURTmean", "BLEURTmedian", "COMET", "MetricX", "BERTScore", "Command", "ScoreFile"}
    names = sorted({path.stem for path in (CONF / "metric").glob("*.yaml")} - local)
    experiment = build(composed("+experiment=demo", f"metric=[{','.join(names)}]"))
    assert len(experiment.metrics) == len(names)
    assert all(metric.signature for metric in experiment.metrics)


def test_a_nested_override_of_a_dropped_entry_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"metric\.chrF2: no component is configured there"):
        build(composed("+experiment=folder", "folder=x", "metric=[BLEU]", "+metric.chrF2.beta=3"))


def test_an_unknown_format_of_figures_lists_the_choices() -> None:
    with pytest.raises(UnknownName, match=r"'pdf'.*svg"):
        build(composed("+experiment=folder", "folder=x", "output.figures=[svg,pdf]"))


def test_limits_are_those_of_the_configuration() -> None:
    assert limits_of(composed("limits.topics=7")) == Limits(topics=7)
    with pytest.raises(UnknownName, match=r"limit 'topic'\. Did you mean 'topics'"):
        limits_of(composed("+limits.topic=7"))
    with pytest.raises(ConfigError, match=r"limits\.pairs='x' must be a whole number"):
        limits_of(composed("limits.pairs=x"))


def test_a_value_that_another_key_needs_is_asked_for() -> None:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        cfg = compose("config", overrides=["+experiment=demo", "languages=???", "++title=${languages}"])
    with pytest.raises(ConfigError, match=r"languages is not set; give it a value, languages=\.\.\."):
        build(cfg)
