from clirbench.report.answer import group_columns, grouped_by, grouping, training_runs
from tests.report.boards import board

VALUES = {"BLEU": [1.0, 2.0, 3.0, 4.0]}


def test_a_column_that_tells_few_groups_apart_is_chosen_and_one_with_a_telling_name_first() -> None:
    metadata = {"id": [*"1234"], "size": [*"ssmm"], "family": [*"xyy "], "same": [*"aaaa"]}
    made = board(VALUES, {}, metadata)
    assert group_columns(made) == ["family", "size"]
    found = grouping(made)
    assert (found.column, found.names, found.group_of) == ("family", ("x", "y", "(none)"), (0, 1, 1, 2))


def test_groups_that_are_numbers_rise_and_carry_the_name_of_the_column() -> None:
    found = grouped_by(board(VALUES, {}, {"size": ["1000000", "30000", "500000", "30000"]}), "size")
    assert found.names == ("size 30000", "size 500000", "size 1000000")
    assert found.group_of == (2, 0, 1, 0)


def test_without_metadata_all_are_one_group() -> None:
    found = grouping(board(VALUES, {}))
    assert (found.column, found.group_of) == ("", (0, 0, 0, 0))


def test_a_training_run_is_a_group_with_several_steps() -> None:
    metadata = {"step": ["1", "2", "1", "2"], "family": ["x", "y", "y", "x"], "size": ["s", "s", "m", "m"]}
    made = board(VALUES, {}, metadata)
    assert group_columns(made) == ["family", "size"]
    assert training_runs(made).group_of == (0, 1, 1, 0)
    by_size = training_runs(board(VALUES, {}, {**metadata, "family": ["x", "y", "x", "y"]}))
    assert by_size.group_of == (0, 0, 1, 1)
    assert training_runs(board(VALUES, {}, {"step": ["1", "2", "3", "4"]})).group_of == (0, 0, 0, 0)
