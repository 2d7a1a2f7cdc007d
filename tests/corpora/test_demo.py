"""The embedded data keep their promises: counts, no repeated sentences, topics and judgments that fit the documents."""

import json
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pytest

from clirbench.corpora.base import CorpusSource
from clirbench.corpora.demo import FOLDER, DemoCorpus, demo_file
from clirbench.errors import InputError


def lines(name: str) -> list[str]:
    return (FOLDER / name).read_text(encoding="utf-8").split("\n")[:-1]


TOPICS = [json.loads(line) for line in lines("topics.jsonl")]


def judgments() -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for line in lines("qrels.txt"):
        topic_id, zero, doc_id, grade = line.split(" ")
        assert zero == "0"
        assert doc_id not in found[topic_id]
        found[topic_id][doc_id] = int(grade)
    return found


def subject(doc_id: str) -> str:
    return doc_id.rsplit("-", 1)[0]


def test_the_reader_is_a_corpus_source_and_aligns_both_sides() -> None:
    assert isinstance(DemoCorpus(), CorpusSource)
    corpus = DemoCorpus().read()
    assert corpus.test.source is not None
    assert corpus.source is not None
    assert len(corpus.test) == len(corpus.test.source) == corpus.document_map.n_lines
    assert corpus.test.references[0] == corpus.english.text.lines()
    first = next(iter(corpus.english))
    assert first.doc_id == "fisheries-01"
    assert first.text.split("\n")[-1].startswith("A short period of sacrifice")


def test_sizes() -> None:
    map_ = DemoCorpus().read().document_map
    assert len(map_) >= 100
    assert map_.n_lines >= 600
    assert set(map_.lengths.tolist()) <= {5, 6, 7}
    subjects = Counter(subject(doc_id) for doc_id in map_.doc_ids)
    assert len(subjects) >= 12
    assert min(subjects.values()) >= 6


@pytest.mark.parametrize("name", ["reference.txt", "source.txt"])
def test_sentences_are_not_repeated(name: str) -> None:
    """At most 5 % repeated sentences, taken word by word: a template with words swapped counts as a repetition.

    Two sentences repeat each other where at least half of the words of both together are shared.
    """
    words = [frozenset(line.lower().strip(".?!").replace(",", "").split()) for line in lines(name)]
    repeated = {second for (_, a), (second, b) in combinations(enumerate(words), 2) if 2 * len(a & b) >= len(a | b)}
    assert len(repeated) <= 0.05 * len(words)


def test_sentences_are_sentences() -> None:
    for english, czech in zip(lines("reference.txt"), lines("source.txt"), strict=True):
        assert english.isascii()
        assert english[-1] in ".?!"
        assert czech[-1] == english[-1]
        assert 10 <= len(english.split()) <= 28
        assert 0.55 < len(czech) / len(english) < 1.45


def test_topics_have_title_description_and_narrative() -> None:
    assert len(TOPICS) >= 40
    assert len({topic["topic_id"] for topic in TOPICS}) == len(TOPICS)
    for topic in TOPICS:
        assert set(topic) == {"topic_id", "title", "description", "narrative"}
        assert 2 <= len(topic["title"].split()) <= 5
        assert len(topic["description"].split()) >= 8
        assert "relevant" in topic["narrative"]


def test_every_topic_is_judged_with_relevant_documents_and_near_misses() -> None:
    qrels, map_ = judgments(), DemoCorpus().read().document_map
    assert list(qrels) == [topic["topic_id"] for topic in TOPICS]
    assert {grade for judged in qrels.values() for grade in judged.values()} == {0, 1, 2}
    for topic_id, judged in qrels.items():
        assert set(judged) <= set(map_.doc_ids), topic_id
        assert {0, 2} <= set(judged.values()), topic_id


def test_near_misses_share_words_with_their_topic() -> None:
    """Nine near misses in ten have a word of their topic's title or description, by its first four letters."""
    texts = {document.doc_id: document.text.lower() for document in DemoCorpus().read().english}
    topics = {topic["topic_id"]: f"{topic['title']} {topic['description']}".lower() for topic in TOPICS}
    near = [(t, d) for t, judged in judgments().items() for d, grade in judged.items() if grade == 0]
    sharing = [
        any(word[:4] in texts[doc_id] for word in topics[topic_id].rstrip("?").split() if len(word) >= 4)
        for topic_id, doc_id in near
    ]
    assert len(near) >= len(TOPICS)
    assert sum(sharing) >= 0.9 * len(near)


def test_the_counts_in_its_readme_are_true() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    map_ = DemoCorpus().read().document_map
    judged = sum(len(grades) for grades in judgments().values())
    n_subjects = len({subject(doc_id) for doc_id in map_.doc_ids})
    for said in (
        f"a line: {map_.n_lines}",
        f"{len(map_)} documents",
        f"{len(TOPICS)} topics",
        f"{judged} judgments",
        f"{n_subjects} subjects",
    ):
        assert said in text


def test_a_file_of_the_demo_is_named_or_refused() -> None:
    assert Path(demo_file("qrels.txt")) == FOLDER / "qrels.txt"
    with pytest.raises(InputError, match=r"no file 'topics.tsv'; it has README.md, docs.tsv"):
        demo_file("topics.tsv")
