"""Early stopping by hand."""

import pytest

from clirbench.analysis.stopping import early_stopping
from clirbench.errors import ConfigError
from tests.analysis.test_steps import checkpoints


def test_by_hand() -> None:
    # the metric peaks at step 2, dips, and peaks higher at step 5; retrieval rises all along (0, 1, ... 5)
    evidence = checkpoints(["0", "1", "2", "3", "4", "5"], x=[1, 2, 5, 4, 5, 6])
    rows = {row.patience: row for row in early_stopping(evidence, (1, 2, 3))}
    assert [(rows[p].stopped, rows[p].shipped, rows[p].value, rows[p].regret, rows[p].saved) for p in (1, 2, 3)] == [
        (3, 2, 2, 3, 2),
        (4, 2, 2, 3, 1),
        (5, 5, 5, 0, 0),
    ]
    assert rows[1].best_step == 5
    assert rows[1].n_steps == 6


def test_none_without_steps_and_errors() -> None:
    assert early_stopping(checkpoints(["", ""])) == []
    with pytest.raises(ConfigError, match=r"patiences=\[0\]"):
        early_stopping(checkpoints(["1", "2"]), (0,))
