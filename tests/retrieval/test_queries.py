"""From a topic to its weighted terms; what the engines share beyond it is tested in test_engines.py."""

import math

import pytest

from clirbench.errors import InputError
from clirbench.retrieval.analyzers import English
from clirbench.retrieval.postings import query
from clirbench.types import Topic


def test_qtf_is_the_sum_of_weights_over_occurrences() -> None:
    topic = Topic("t", (("Oil prices of oil", 1.0), ("price history", 0.25), ("the", 9.0)))
    assert query(topic, English()) == {"oil": 2.0, "price": 1.25, "histori": 0.25}
    assert list(query(topic, English())) == ["oil", "price", "histori"]  # as they are first read


def test_a_part_of_weight_0_is_left_out() -> None:
    assert query(Topic("t", (("oil", 0.0), ("pearl", 1.0))), English()) == {"pearl": 1.0}


@pytest.mark.parametrize("weight", [-0.5, math.nan, math.inf])
def test_impossible_weights(weight: float) -> None:
    with pytest.raises(InputError, match="topic 7: the weight of a part must be a number of 0 or above"):
        query(Topic("7", (("oil", weight),)), English())
