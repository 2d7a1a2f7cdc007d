import numpy as np
import pytest

from clirbench.errors import UnknownName
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.units.belonging import covariates, is_step, units_of


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
    with pytest.raises(UnknownName, match="labs"):
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
    assert (units.number, units.source, units.along_training) == (1, "one training run", True)


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


def test_an_undeclared_step_column_is_found_and_is_a_covariate() -> None:
    step = Column("Updates", "metric", np.array([1.0, 2.0, 3.0, 4.0]))
    made = board(FOUR, (step,))
    units = units_of(made)
    assert (units.number, units.step_source) == (1, "Updates")
    assert list(covariates(made, units)) == ["Updates"]
    assert is_step("epoch")
    assert not is_step("BLEU")
    assert not is_step("steplength")
