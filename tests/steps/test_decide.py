"""A decision from the store is the one that was made."""

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from clirbench.engines.local import Serial
from clirbench.statistics import choice
from clirbench.statistics.units.belonging import units_of
from clirbench.steps.decide import Decide, as_decision
from clirbench.store.cached import Cached, cached_result
from clirbench.store.store import Store
from tests.statistics.worlds import scores_only, world


@pytest.mark.parametrize("evidence", [world(), scores_only([[1, 2, 3]], [[1, 1, 1]])], ids=["decided", "with a reason"])
def test_a_rerun_finds_the_same_decision(evidence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    item = evidence, units_of(evidence.board)
    made = choice.decided(*item, "y0", seed=3)
    for _ in range(2):
        (held,) = cached_result(Cached(Serial(), Store(tmp_path)), Decide("y0", False, 3), item)
        found = as_decision(held)
        assert found.draws.tobytes() == made.draws.tobytes()
        for field in fields(made):
            if field.name != "draws":
                assert repr(getattr(found, field.name)) == repr(getattr(made, field.name))
        monkeypatch.setattr("clirbench.steps.decide.decided", None)  # the second time nothing is computed


def test_everything_but_the_draws_is_plain() -> None:
    evidence = world()
    held = Decide("y0", False, 0)((evidence, units_of(evidence.board)))
    draws = held.pop("draws")
    assert isinstance(draws, np.ndarray)
    assert json.loads(json.dumps(held))["systems"] == list(evidence.systems)
