"""What was computed: rows of systems and topics stay with their names, whatever is left out."""

import numpy as np

from clirbench.result import Retrieval, with_marks
from clirbench.types import Failure, Judged, Qrels, Run

NOTHING = Run.of({})


JUDGED = Judged(Qrels({"1": {"d": 1}, "2": {"d": 0}, "3": {"d": 2}}), NOTHING)


def retrieval() -> Retrieval:
    """Runs of b and a, in that order; MAP leaves out topic 2, which has no relevant document."""
    per_topic = {("", "MAP"): np.array([[0.1, 0.3], [0.2, 0.6]]), ("", "RBO"): np.array([[1.0, 2, 3], [4, 5, 6]])}
    return Retrieval(NOTHING, {"": JUDGED}, {}, {"b": NOTHING, "a": NOTHING}, per_topic, {"c": Failure("unreadable")})


def test_the_topics_of_a_measure_are_those_that_it_scores() -> None:
    assert retrieval().topics("", "MAP") == ("1", "3")
    assert retrieval().topics("", "RBO") == ("1", "2", "3")


def test_marks_name_collection_topics_and_judgments() -> None:
    assert (with_marks("MAP"), with_marks("MAP", "", "")) == ("MAP", "MAP")
    assert with_marks("MAP", "news", "", "qrels") == "MAP[news,qrels]"
