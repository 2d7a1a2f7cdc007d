from clirbench.report.answer import group_columns, grouping, training_runs
from tests.report.boards import board

VALUES = {"BLEU": [1.0, 2.0, 3.0, 4.0]}


def test_a_column_that_tells_few_groups_apart_is_chosen_and_one_with_a_telling_name_first() -> None:
    metadata = {
        "id": ["1", "2", "3", "4"],
        "size": ["s", "s", "m", "m"],
        "family": ["x", "y", "y", " "],
        "same": ["a"] * 4,
    }
    made = board(VALUES, {}, metadata)
    assert group_columns(made) == ["family", "size"]
    found = grouping(made)
    assert (found.column, found.names, found.group_of) == ("family", ("x", "y", "(none)"), (0, 1, 1, 2))


def test_without_metadata_all_are_one_group() -> None:
    found = grouping(board(VALUES, {}))
    assert (found.column, found.group_of) == ("", (0, 0, 0, 0))


def test_a_training_run_is_a_group_with_several_steps() -> None:
    metadata = {"step": ["1", "2", "1", "2"], "family": ["x", "y", "y", "x"], "size": ["s", "s", "m", "m"]}
    made = board(VALUES, {}, metadata)
    assert group_columns(made) == ["family", "size"]
    assert training_runs(made).group_of == (0, 1, 1, 0)
    assert training_runs(board(VALUES, {}, {**metadata, "family": ["x", "y", "x", "y"]})).group_of == (
        0,
        0,
        1,
        1,
    )  # by size
    assert training_runs(board(VALUES, {}, {"step": ["1", "2", "3", "4"]})).group_of == (0, 0, 0, 0)
