"""The embedded data: both sides align, topics and judgments fit the documents, and the README counts them rightly."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from clirbench.corpora.base import CorpusSource
from clirbench.corpora.manifest import FOLDER, DemoCorpus, demo_file
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


def test_every_topic_is_judged_with_relevant_documents_and_near_misses() -> None:
    qrels, map_ = judgments(), DemoCorpus().read().document_map
    assert list(qrels) == [topic["topic_id"] for topic in TOPICS]
    assert {grade for judged in qrels.values() for grade in judged.values()} == {0, 1, 2}
    for topic_id, judged in qrels.items():
        assert set(judged) <= set(map_.doc_ids), topic_id
        assert {0, 2} <= set(judged.values()), topic_id


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
