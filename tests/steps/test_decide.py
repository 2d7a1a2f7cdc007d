"""A decision from the store is the one that was made."""

import json
from functools import partial
from pathlib import Path

import pytest

from clirbench import steps as of_all
from clirbench.engines.local import Serial
from clirbench.statistics import decision
from clirbench.statistics.belonging import units_of
from clirbench.store.cached import Cached, cached_result
from clirbench.store.store import Store
from tests.statistics.worlds import scores_only, world


@pytest.mark.parametrize("evidence", [world(), scores_only([[1, 2, 3]], [[1, 1, 1]])], ids=["decided", "with a reason"])
def test_a_rerun_finds_the_same_decision(evidence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    item = evidence, units_of(evidence.board)
    made = decision.decided(*item, "y0", seed=3)
    for _ in range(2):
        (held,) = cached_result(Cached(Serial(), Store(tmp_path)), partial(of_all.decision, measure="y0", seed=3), item)
        found = of_all.as_decision(held)
        assert repr(found) == repr(made)
        monkeypatch.setattr("clirbench.steps.decided", None)  # the second time nothing is computed


def test_what_is_stored_is_plain() -> None:
    evidence = world()
    held = of_all.decision((evidence, units_of(evidence.board)), measure="y0", seed=0)
    assert {row["system"] for row in json.loads(json.dumps(held))["standings"]} == set(evidence.systems)
