"""Configuration -> Experiment: what is built, and what is refused with all errors at once."""

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig

from clirbench.__main__ import CONF
from clirbench.configuration.building import build, limits_of
from clirbench.errors import ConfigError, Problems, UnknownName
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


def test_units_and_what_is_known_beforehand() -> None:
    plain = build(composed("+experiment=folder", "folder=x"))
    assert (plain.units, plain.given) == ("", ())
    asked = build(composed("+experiment=folder", "folder=x", "units=lab", "given=[training_lines]"))
    assert (asked.units, asked.given) == ("lab", ("training_lines",))
    assert (plain.baseline, plain.margin) == ("", 0)
    used = build(composed("+experiment=folder", "folder=x", "baseline=old", "margin=0.01"))
    assert (used.baseline, used.margin) == ("old", 0.01)
    with pytest.raises(ConfigError, match="margin=-1 must be a number of at least 0"):
        build(composed("+experiment=folder", "folder=x", "margin=-1"))


def test_a_second_set_of_judgments_is_labelled_by_its_kind() -> None:
    experiment = build(composed("+experiment=demo"))
    assert list(experiment.relevance) == ["", "qrels"]


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


def test_all_errors_are_gathered() -> None:
    with pytest.raises(Problems) as raised:
        build(composed("+experiment=folder", "measures=[MAPP]", "analysis=[power,corelation]", "output.runs=some"))
    text = str(raised.value)
    for part in ("folder=DIR", "'MAPP'", "'corelation'", "'some'"):
        assert part in text


def test_a_name_listed_twice_is_refused() -> None:
    with pytest.raises(ConfigError, match="measure MAP is listed twice"):
        build(composed("+experiment=folder", "folder=x", "measures=[MAP,MAP]"))


@pytest.mark.parametrize(
    ("override", "formats"),
    [
        ("seed=0", ("svg",)),
        ("output.figures=png", ("png",)),
        ("output.figures=[svg,pdf,png,pdf]", ("svg", "pdf", "png")),
        ("output.figures=[]", ()),
    ],
)
def test_figures_have_the_formats_that_were_asked_for(override: str, formats: tuple[str, ...]) -> None:
    assert build(composed("+experiment=folder", "folder=x", override)).figures == formats


def test_an_unknown_format_of_figures_lists_the_choices() -> None:
    with pytest.raises(UnknownName, match=r"'pgn'\. Did you mean 'png'\? Choices: pdf, png, svg"):
        build(composed("+experiment=folder", "folder=x", "output.figures=[svg,pgn]"))


def test_an_unknown_run_file_choice_lists_the_choices() -> None:
    with pytest.raises(UnknownName, match="all, auto, ideal, none"):
        build(composed("+experiment=folder", "folder=x", "output.runs=every"))


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
