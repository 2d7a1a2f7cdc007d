from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from clirbench.errors import ConfigError
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.belonging import covariates, is_step, name_numbers, readings, stems_of, units_of


def board(systems: list[str], columns: tuple[Column, ...] = (), **metadata: list[str]) -> Scoreboard:
    return Scoreboard(tuple(systems), columns, {name: tuple(cells) for name, cells in metadata.items()})


FOUR = ["a", "b", "c", "d"]


def test_without_metadata_every_system_is_a_unit() -> None:
    units = units_of(board(FOUR))
    assert (units.number, units.source, units.independent, units.along_training) == (4, "system", True, False)


def test_the_column_asked_for_comes_first_and_an_empty_cell_is_a_unit() -> None:
    made = board(FOUR, run=["1", "1", "2", "2"], lab=["x", "x", "x", ""])
    assert units_of(made, "lab").index.tolist() == [0, 0, 0, 1]
    assert units_of(made).source == "run"
    assert units_of(made, "none").independent
    with pytest.raises(ConfigError, match="labs"):
        units_of(made, "labs")


def test_precedence_is_run_then_family_then_group() -> None:
    both = {"group": ["g", "g", "h", "h"], "family": ["f", "g", "g", "f"]}
    assert units_of(board(FOUR, **both)).index.tolist() == [0, 1, 1, 0]
    assert units_of(board(FOUR, group=both["group"])).index.tolist() == [0, 0, 1, 1]
    assert units_of(board(FOUR, **both, series=["1", "2", "3", "3"])).source == "series"


def test_numbers_are_covariates_and_never_units() -> None:
    made = board(FOUR, training_lines=["1,000", "1,000", "2,000", "2,000"], same=["7", "7", "7", "7"])
    units = units_of(made)
    assert units.independent
    assert {name: values.tolist() for name, values in covariates(made, units).items()} == {
        "training_lines": [1000, 1000, 2000, 2000]
    }


def test_seeds_are_units_within_one_configuration_only() -> None:
    seeds = ["1", "2", "1", "2"]
    steps = ["1", "1", "2", "2"]
    assert units_of(board(FOUR, seed=seeds, step=steps)).index.tolist() == [0, 1, 0, 1]
    two = units_of(board(FOUR, seed=seeds, model=["base", "base", "big", "big"]))
    assert (two.source, two.index.tolist()) == ("configuration", [0, 0, 1, 1])


def test_checkpoints_without_a_run_are_one_run() -> None:
    units = units_of(board(FOUR, step=["100", "200", "300", "400"]))
    assert (units.number, units.source, units.along_training) == (1, "step", True)


def test_a_column_of_steps_joins_systems_of_equal_other_metadata_alone() -> None:
    steps = ["100", "200", "100", "200"]
    of_two = units_of(board(FOUR, step=steps, size=["base", "base", "big", "big"]))
    assert (of_two.index.tolist(), of_two.source, of_two.along_training) == ([0, 0, 1, 1], "step", True)
    apart = board(FOUR, step=["1", "2", "4", "3"], layers=["6", "12", "6", "12"], vocabulary=["8k", "8k", "16k", "16k"])
    assert units_of(apart).independent
    assert list(covariates(apart, units_of(apart))) == ["step", "layers"]
    told = {"date": ["05-01", "05-02", "05-03", "05-11"], "loss": ["2.5", "2.25", "2.2", "2.2"], "seed": ["1"] * 4}
    assert units_of(board(FOUR, step=["10", "20", "30", "40"], **told)).number == 1  # scores, and what steps bring


def test_made_up_steps_do_not_join_38_systems_of_other_sizes_and_vocabularies(shared_data: Path) -> None:
    """Trained independently (Gowda and May 2020); with their metadata, and with names and steps alone."""
    table = (shared_data / "vocab-sweep" / "de-en" / "systems.tsv").read_text(encoding="utf-8").splitlines()
    header, *rows = (line.split("\t") for line in table)
    columns = {name: list(cells) for name, cells in zip(header, zip(*rows, strict=True), strict=True)}
    names = columns.pop("name")
    for metadata in (columns, {"step": columns["step"]}, {"step": [str(1000 * i) for i in range(1, 39)]}):
        assert (len(names), units_of(board(names, **metadata)).independent) == (38, True)


MODELS = [f"model_{1000 * i}" for i in range(1, 13)]


def rising(values: Sequence[float]) -> Column:
    return Column("MAP", "measure", np.array(values, dtype=float))


def test_a_number_that_orders_the_systems_as_the_measure_does_makes_them_one_run() -> None:
    values = [1, 2, 4, 3, 5, 6, 8, 7, 9, 10, 12, 11]  # Spearman 1 - 6 * 6 / 1716 = .979
    units = units_of(board(MODELS, (rising(values),)))
    assert (units.number, units.source, units.along_training, units.steps[-1]) == (1, "number", True, 12000)
    assert units_of(board(MODELS, (rising(values),)), "none").independent
    mixed = units_of(board([*MODELS, "GPT", "Online-A"], (rising([*values, 3, 20]),)))
    assert mixed.groups([*MODELS, "GPT", "Online-A"]) == [MODELS]
    assert units_of(board(MODELS, (rising(values[::-1]),))).independent
    assert units_of(board(MODELS[:4], (rising(values[:4]),))).independent
    assert units_of(board(MODELS, (rising(values),), training_lines=[name[6:] for name in MODELS])).independent


def test_systems_at_one_step_are_no_checkpoints() -> None:
    units = units_of(board(FOUR, step=["100"] * 4))
    assert (units.independent, units.along_training) == (True, False)


def test_replicates_of_a_step_do_not_make_steps_units() -> None:
    """`systems=checkpoints` gives every step without replicates a group of its own."""
    units = units_of(board(FOUR, step=["1", "2", "3", "4"], group=["step1", "step2", "step3", "step4"]))
    assert units.number == 1


@pytest.mark.parametrize("name", ["ckpt_1000", "checkpoint-1000", "model.iter1000", "epoch=1000", "en.step1000.txt"])
def test_steps_are_read_from_names(name: str) -> None:
    units = units_of(board([name, name.replace("1000", "2000"), name.replace("1000", "3000")]))
    assert (units.steps.tolist(), units.number, units.along_training) == ([1000, 2000, 3000], 1, True)


def test_names_tell_runs_apart() -> None:
    units = units_of(board(["base_ckpt_1", "base_ckpt_2", "big_ckpt_1", "big_ckpt_2"]))
    assert units.index.tolist() == [0, 0, 1, 1]
    assert units_of(board(["base_ckpt_1", "big_ckpt_2"])).independent
    names, steps = ["a_ckpt_100", "ckpt_1-v200", "v1200", "b"], np.array([100, 200, 200, np.nan])
    assert stems_of(names, steps) == ("a_*", "ckpt_1-v*", "v1200", "b")


def test_an_undeclared_step_column_is_found_and_is_a_covariate() -> None:
    step = Column("Updates", "metric", np.array([1.0, 2.0, 3.0, 4.0]))
    made = board(FOUR, (step,))
    units = units_of(made)
    assert (units.number, units.step_source) == (1, "Updates")
    assert list(covariates(made, units)) == ["Updates"]
    assert is_step("epoch")
    assert not is_step("BLEU")
    assert not is_step("steplength")


def test_a_step_word_stands_by_itself() -> None:
    """`iter` ends jupiter and writer too: they are names, not steps of one run."""
    assert units_of(board(["jupiter1", "jupiter2", "writer1", "writer2"])).independent


def test_near_copies_are_together_unless_a_column_says_otherwise() -> None:
    pairs = [("d", "a"), ("a", "c"), ("x", "b")]
    found = units_of(board(FOUR), near=pairs)
    assert (found.index.tolist(), found.source, found.groups(FOUR)) == ([0, 1, 0, 0], "near-copies", [["a", "c", "d"]])
    assert units_of(board(FOUR), "none", near=pairs).independent
    assert units_of(board(FOUR, family=["f", "f", "g", "h"]), near=pairs).source == "family"
    steps = units_of(
        board(["base_ckpt_1", "base_ckpt_2", "big_ckpt_1", "big_ckpt_2"]), near=[("base_ckpt_1", "big_ckpt_1")]
    )
    assert steps.number == 2


def test_copies_by_scores_are_found_where_there_are_no_texts() -> None:
    columns = tuple(Column(name, "metric", np.array([1.0, 2.0, 2.0, 3.0])) for name in "xyz")
    assert units_of(board(FOUR, columns)).source == "equal scores"
    assert units_of(board(FOUR, columns), near=[("a", "d")]).index.tolist() == [0, 1, 2, 0]


def test_numbers_in_names_are_covariates_and_a_reading_but_never_units() -> None:
    """The names of Lignos et al. 2019: lines of training text and size of the vocabulary."""
    names = [f"{lines}.bpe{size}" for lines in ("025000", "200000", "800000") for size in (16000, 32000)]
    made = board(names)
    units = units_of(made)
    assert units.independent
    assert {name: values.tolist() for name, values in covariates(made, units).items()} == {
        "number 1 in the name": [25000, 25000, 200000, 200000, 800000, 800000],
        "number 2 in the name": [16000, 32000] * 3,
    }
    found = readings(made, units)
    assert list(found) == ["number"]
    assert (found["number"].number, found["number"].along_training) == (1, True)
    assert units_of(made, "number").labels == found["number"].labels
    assert units_of(board(names, number=[*"xyyzzz"]), "number").number == 3  # a column comes first


def test_declared_numbers_are_not_counted_twice() -> None:
    made = board(["a10k", "b20k", "c30k"], training_lines=["10000", "20000", "30000"])
    assert list(covariates(made, units_of(made))) == ["training_lines"]
    assert name_numbers(["a10k", "b1.5M", "c300"])["number in the name"].tolist() == [10000, 1500000, 300]


def test_labels_that_count_are_no_numbers() -> None:
    assert name_numbers(["s1", "s2", "s3"]) == name_numbers(["s0", "s1"]) == name_numbers(["a", "b2"]) == {}


def test_makers_are_a_reading_and_so_is_none_where_a_cut_decides() -> None:
    names = ["HW-TSC", "HW-base", "Online-A", "Online-B", "PROMT", "NiuTrans"]
    made = board(names)
    assert readings(made, units_of(made))["maker"].index.tolist() == [0, 0, 1, 2, 3, 4]
    near = [("PROMT", "Online-A")]
    found = readings(made, units_of(made, near=near), near)
    assert list(found) == ["none", "maker"]
    assert found["maker"].index.tolist() == [0, 0, 1, 2, 1, 3]
    assert found["none"].independent


def test_stems_that_texts_confirm_are_units() -> None:
    names = ["x.a", "x.b", "y.a", "y.b", "z"]
    stems = {"x.a": "x", "x.b": "x", "y.a": "y", "y.b": "y"}
    units = units_of(board(names), stems=stems)
    assert (units.index.tolist(), units.source) == ([0, 0, 1, 1, 2], "stem")
    assert units.groups(names) == [["x.a", "x.b"], ["y.a", "y.b"]]
    assert units_of(board(names), near=[("z", "y.b")], stems=stems).index.tolist() == [0, 0, 1, 1, 1]
    assert units_of(board(names), "none", stems=stems).independent
    assert units_of(board(names, family=[*"ppqqr"]), stems=stems).source == "family"
    assert list(readings(board(names), units)) == ["none"]
