"""What was computed: rows of systems and topics stay with their names, whatever is left out."""

import numpy as np

from clirbench.corpora.base import Corpus
from clirbench.result import Inputs, Retrieval, StepResults, with_marks
from clirbench.text import TextLines
from clirbench.types import Document, Documents, Failure, Judged, Qrels, Run, TestSet, Translation

NOTHING = Run.of({})


JUDGED = Judged(Qrels({"1": {"d": 1}, "2": {"d": 0}, "3": {"d": 2}}), NOTHING)


def retrieval() -> Retrieval:
    """Runs of b and a, in that order; MAP leaves out topic 2, which has no relevant document."""
    per_topic = {("", "MAP"): np.array([[0.1, 0.3], [0.2, 0.6]]), ("", "RBO"): np.array([[1.0, 2, 3], [4, 5, 6]])}
    return Retrieval(NOTHING, {"": JUDGED}, {}, {"b": NOTHING, "a": NOTHING}, per_topic, {"c": Failure("unreadable")})


def test_the_topics_of_a_measure_are_those_that_it_scores() -> None:
    assert retrieval().topics("", "MAP") == ("1", "3")
    assert retrieval().topics("", "RBO") == ("1", "2", "3")


def test_what_is_known_of_a_system_goes_with_it() -> None:
    systems = [Translation(name, TextLines((name,)), TextLines((name,))) for name in "abc"]
    corpus = Corpus(TestSet((("one",),)), Documents.of([Document("1", "x")]))
    scores = {("BLEU", "a"): 1.0, ("BLEU", "b"): 2.0}
    work = StepResults(Inputs(corpus, tuple(systems), {}), {}, scores, {}, {"": retrieval()}, ("before",), ("c",))
    left = work.without({"b": "its file changed"})
    assert left.inputs is not None
    assert [t.test is None and t.collection is None for t in left.inputs.translations] == [False, True, False]
    assert left.scores == {("BLEU", "a"): 1.0}
    assert list(left.retrieval[""].runs) == ["a"]
    assert left.retrieval[""].per_topic["", "MAP"].tolist() == [[0.2, 0.6]]
    assert left.retrieval[""].failed.keys() == {"c"}
    assert (left.lost, left.notes) == (("c", "b"), ("before", "b is left out: its file changed"))
    assert work.without({}) is work


def test_marks_name_collection_topics_and_judgments() -> None:
    assert (with_marks("MAP"), with_marks("MAP", "", "")) == ("MAP", "MAP")
    assert with_marks("MAP", "news", "", "qrels") == "MAP[news,qrels]"
