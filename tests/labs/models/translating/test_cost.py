"""What an engine costs: meters within each other, and the seconds and words that are kept beside a shard."""

from itertools import count
from math import isnan
from pathlib import Path

import pytest

from clirbench.labs.models.translating import cost
from clirbench.labs.models.translating.cost import metered, per_million_words, read_cost, recall, write_cost


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the processor's time shows one second more."""
    ticks = count()
    monkeypatch.setattr(cost, "processor_seconds", lambda: float(next(ticks)))


@pytest.mark.usefixtures("ticking")
def test_what_was_spent_before_counts_in_every_running_meter() -> None:
    with metered() as whole:  # 0
        with metered() as part:  # 1
            recall(10)
        with metered() as after:  # 3 to 4
            pass
    assert (part.seconds, after.seconds, whole.seconds) == (11, 1, 15)  # 2 - 1 + 10; 4 - 3; 5 - 0 + 10
    recall(10)
    assert whole.seconds == 15


@pytest.mark.usefixtures("ticking")
def test_an_engine_that_fails_leaves_no_meter_running() -> None:
    with pytest.raises(ValueError, match="broken"), metered() as failed:
        raise ValueError("broken")
    recall(10)
    assert failed.seconds == 1


def test_seconds_for_a_million_words(tmp_path: Path) -> None:
    write_cost(tmp_path / "a.txt", 2.0, ["one two", "", " three "])
    write_cost(tmp_path / "b.txt", 1.0, ["four"])
    assert read_cost(tmp_path / "a.txt") == (2.0, 3)
    assert per_million_words([tmp_path / "a.txt", tmp_path / "b.txt"]) == 750_000  # 3 s for 4 words
    assert isnan(per_million_words([tmp_path / "a.txt", tmp_path / "nobody.txt"]))
    assert isnan(per_million_words([]))
    (tmp_path / "a.cost").write_text("damaged")
    assert isnan(read_cost(tmp_path / "a.txt")[0])
