"""Collections of documents: two sides that share ids, not lines; the release format of Europarl."""

import json
import sys
from pathlib import Path

import pytest
import pytrec_eval  # type: ignore[import-untyped]

from clirbench.corpora.base import CorpusSource
from clirbench.corpora.sentences import PARAGRAPH, SentenceSplitter
from clirbench.errors import AlignmentError, ClirbenchError, ConfigError, InputError, Problems
from clirbench.files.trec import read_qrels, read_run
from clirbench.labs.formats.documents import (
    DocumentReader,
    DocumentsCorpus,
    EuroparlDocuments,
    JsonDocuments,
    ReadText,
    without_parenthesis,
)
from clirbench.systems.files import FileSystems
from tests.conftest import Cli, put, records


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("x", "y", "z"):
        put(tmp_path / "test" / "systems" / f"{name}.txt", "one\n")
    put(tmp_path / "test" / "reference.txt", "One\n")
    put(tmp_path / "en" / "ep-1.txt", "a\nb\nc\n")
    put(tmp_path / "en" / "ep-2.txt", "too short\n")
    put(tmp_path / "en" / "ep-3.txt", "d\n<P>\ne\nf\n")
    for name in ("ep-1", "ep-2", "ep-3"):
        put(tmp_path / "mt" / "x" / f"{name}.txt", f"x {name}\n")
    put(tmp_path / "mt" / "y.txt", "y 1\ny 3\n")
    records = [{"id": f"ep-{n}", "text": f"z {n}"} for n in (1, 2, 3)]
    put(tmp_path / "mt" / "z.jsonl", "\n".join(map(json.dumps, records)))
    return tmp_path


def corpus_of(folder: Path) -> DocumentsCorpus:
    return DocumentsCorpus(EuroparlDocuments(), str(folder / "en"), folder / "mt", folder / "test")


def test_systems_in_three_forms(folder: Path) -> None:
    """A folder in the reader's format (whose short documents stay), lines in order, and JSON lines."""
    source = corpus_of(folder)
    assert isinstance(source, CorpusSource)
    corpus = source.read()
    assert [(d.doc_id, d.text) for d in corpus.english] == [("ep-1", "a b c"), ("ep-3", "d e f")]
    translations = {t.system: t for t in FileSystems().translations(corpus)}
    searched = {name: t.collection.lines() for name, t in translations.items() if t.collection is not None}
    assert searched == {"x": ("x ep-1", "x ep-3"), "y": ("y 1", "y 3"), "z": ("z 1", "z 3")}
    assert all(t.test is not None and t.test.lines() == ("one",) for t in translations.values())


def test_a_document_that_a_system_lacks_is_an_error(folder: Path) -> None:
    (folder / "mt" / "x" / "ep-3.txt").unlink()
    with pytest.raises(ClirbenchError, match="x has 1 line,"):
        FileSystems().translations(corpus_of(folder).read())


def test_the_reader_and_the_content_are_the_identity(folder: Path) -> None:
    text = ReadText(folder / "en", EuroparlDocuments())
    assert text.fingerprint == ReadText(folder / "en", EuroparlDocuments()).fingerprint
    assert text.fingerprint != ReadText(folder / "en", EuroparlDocuments(min_lines=0)).fingerprint
    assert text.fingerprint != ReadText(folder / "en", EuroparlDocuments(), ("ep-1",)).fingerprint
    before = text.fingerprint
    put(folder / "en" / "ep-1.txt", "a\nb\nc\nd\n")
    assert text.fingerprint != before


def test_what_is_missing_is_named(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"corpus\.translations and corpus\.source are not set"):
        DocumentsCorpus(JsonDocuments(), "x")
    (folder / "empty").mkdir()
    source = DocumentsCorpus(EuroparlDocuments(), folder / "empty", folder / "a", folder / "b")
    with pytest.raises(Problems, match=r"(?s)no files in it.*no such folder.*no such folder; one file or folder"):
        source.read()
    put(folder / "mt" / "x.txt", "a\nb\n")
    with pytest.raises(InputError, match="system 'x' has two entries"):
        corpus_of(folder).read()


def test_doubled_ids_are_refused(folder: Path) -> None:
    put(folder / "en" / "more" / "ep-1.txt", "g\nh\ni\n")
    with pytest.raises(InputError, match="doc_id 'ep-1' stands on line 1 already"):
        corpus_of(folder).read()


def test_json_fields(tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", '{"id": 7, "title": "T", "text": "x"}\n{"doc_id": "b", "text": "y"}\n')
    reader = JsonDocuments(["title", "text"])
    assert isinstance(reader, DocumentReader)
    assert list(reader.documents(path)) == [("7", "T\nx"), ("b", "y")]
    assert ReadText(path, reader).lines() == ("T x", "y")
    with pytest.raises(InputError, match=r"a\.jsonl: line 1: no doc_id"):
        list(JsonDocuments().documents(put(tmp_path / "a.jsonl", '{"id": true, "text": "x"}')))
    with pytest.raises(ConfigError, match="a list of at least one field"):
        JsonDocuments("text")


def test_without_english_side_or_test_set(folder: Path) -> None:
    """The first system says which documents there are; the others may have more."""
    put(folder / "json" / "a" / "1.jsonl", '{"_id": "1", "title": "T", "text": "a"}\n')
    put(folder / "json" / "a" / "2.jsonl", '{"_id": "2", "text": "b"}\n')
    put(
        folder / "json" / "b.jsonl",
        '{"id": "1", "title": "U", "text": "c"}\n{"id": "0", "text": "-"}\n{"id": 2, "text": "d"}\n',
    )
    corpus = DocumentsCorpus(JsonDocuments(("title", "text")), translations=folder / "json").read()
    assert not corpus.has_english
    assert not corpus.test
    assert corpus.english.map.doc_ids == ("1", "2")
    found = FileSystems().translations(corpus)
    assert [(t.test, t.collection.lines() if t.collection else None) for t in found] == [
        (None, ("T a", "b")), (None, ("U c", "d")),
    ]  # fmt: skip
    with pytest.raises(ConfigError, match=r"this collection has no reference side"):
        list(corpus.english)
    put(folder / "json" / "b.jsonl", '{"id": "2", "text": "d"}\n')
    with pytest.raises(ClirbenchError, match="has 1 line,"):
        FileSystems().translations(corpus)


def test_source_and_english_side_have_the_same_documents(folder: Path) -> None:
    english = put(folder / "en.jsonl", '{"id": "1", "text": "One."}\n{"id": "2", "text": "Two."}\n')
    source = put(
        folder / "de.jsonl",
        '{"id": "0", "text": "-"}\n{"id": "1", "text": "Eins.\\nUno"}\n{"id": "2", "text": "Zwei."}\n',
    )
    made = DocumentsCorpus(JsonDocuments(), english, source=source, sentences=SentenceSplitter("de")).read()
    assert made.source is not None
    assert made.source.lines() == (f"Eins.{PARAGRAPH}Uno", "Zwei.")
    whole = DocumentsCorpus(JsonDocuments(), english, source=source).read()
    assert whole.source is not None
    assert whole.source.lines() == ("Eins. Uno", "Zwei.")
    put(folder / "de.jsonl", '{"id": "2", "text": "Zwei."}\n')
    with pytest.raises(AlignmentError, match=r"de\.jsonl: does not have the documents 1 of .*en\.jsonl"):
        DocumentsCorpus(JsonDocuments(), english, source=source).read()
    put(folder / "de.jsonl", '{"id": "2", "text": "Zwei."}\n{"id": "1", "text": "Eins."}\n')
    with pytest.raises(AlignmentError, match="has the documents in another order"):
        DocumentsCorpus(JsonDocuments(), english, source=source).read()


SITTING = """<CHAPTER ID=1>
Resumption
<SPEAKER ID=1 NAME="President">
I declare resumed.
<P>
(Applause)
(DE) We go on.
<P>
<SPEAKER ID=2 LANGUAGE="DE" NAME="Evans, Robert J">
A point of order.<BRK>
Yes.

<CHAPTER ID=2>
Agenda
"""


@pytest.fixture
def sittings(tmp_path: Path) -> Path:
    (tmp_path / "ep-00-01-17.txt").write_text(SITTING)
    (tmp_path / "ep-00-01-18.txt").write_text("<CHAPTER ID=1>\nA heading alone\n")
    return tmp_path


def test_a_file_is_a_document(sittings: Path) -> None:
    text = "Resumption I declare resumed. We go on. A point of order. Yes. Agenda"
    reader = EuroparlDocuments()
    assert isinstance(reader, DocumentReader)
    assert dict(reader.documents(sittings)) == {"ep-00-01-17": text}
    both = {"ep-00-01-17": text, "ep-00-01-18": "A heading alone"}
    assert dict(EuroparlDocuments(min_lines=0).documents(sittings)) == both
    assert dict(reader.documents(sittings, every=True)) == both  # those that another side chose are not dropped


@pytest.mark.parametrize(
    ("line", "kept"),
    [("(Applause)", ""), ("(FR) Oui", "Oui"), ("(open", "(open"), ("a (b)", "a (b)"), ("((a) b)", "b)")],
)
def test_a_parenthesis_at_the_head_goes(line: str, kept: str) -> None:
    assert without_parenthesis(line) == kept


def test_both_languages_of_the_sample_have_the_same_documents(shared_data: Path) -> None:
    sample = shared_data / "europarl" / "original-format" / "txt"
    english, french = (dict(EuroparlDocuments(0).documents(sample / lang)) for lang in ("en", "fr"))
    assert len(english) >= 4
    assert english.keys() == french.keys()


FIRST_WORDS = """import sys
for line in sys.stdin:
    words = line.split()
    print(" ".join(words[: max(1, round(len(words) * float(sys.argv[1])))]))
"""


@pytest.mark.parametrize("language", ["zho", pytest.param("eng", marks=pytest.mark.slow)])
def test_patapsco_from_one_command(cli: Cli, tmp_path: Path, shared_data: Path, language: str) -> None:
    """Documents in two languages, "translated" by a command, searched, judged by people; scores as pytrec_eval's."""
    data = shared_data / "clir" / "patapsco"
    (tmp_path / "words.py").write_text(FIRST_WORDS)
    # Only words of the query in the searched text count, so the topics are those in the documents' language.
    analyzer = ["analyzer=character"] if language == "zho" else ["analyzer=whitespace"]
    shares = {"a": 0.3, "b": 0.6, "c": 1}
    commands = ", ".join(f"{name}: '{sys.executable} words.py {share}'" for name, share in shares.items())
    arguments = [
        "corpus=jsonl_documents", f"corpus.source={data}/{language}_mini_docs.jsonl",
        f"corpus.sentences.language={language}", "systems=command", f"systems.commands={{{commands}}}",
        "systems.shard_lines=7", "topics=jsonl", f"topics.path={data}/eng_mini_topics.jsonl",
        f"topics.language={language}", "relevance=qrels", f"relevance.path={data}/eng_mini_qrels", "metric=[]",
        "relevance.judged_by=people",
        "measures=[AP,nDCG,RBO]", *analyzer,
    ]  # fmt: skip
    done = cli.succeed(*arguments, "hydra.run.dir=out")
    assert "left out, because they compare with a search of the reference side, which there is not: RBO" in done.stdout
    assert not (tmp_path / "out" / "trec" / "ideal.run").exists()
    qrels = {t: dict(g) for t, g in read_qrels(data / "eng_mini_qrels").grades.items()}
    rows = [row for row in records(tmp_path / "out" / "per_topic.tsv") if row["measure"] in ("AP", "nDCG")]
    assert {row["topic_id"] for row in rows} == {"001", "002"}
    for system in shares:
        run = read_run(tmp_path / "out" / "trec" / f"{system}.run")
        scores = {t: dict(zip(run.ranking(t), run.values(t).tolist(), strict=True)) for t in run.topic_ids}
        found = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg"}).evaluate(scores)
        for row in (row for row in rows if row["system"] == system):
            theirs = found.get(row["topic_id"], {}).get("map" if row["measure"] == "AP" else "ndcg", 0.0)
            assert float(row["value"]) == pytest.approx(theirs, abs=1e-6)
    if language == "eng":
        assert any(float(row["value"]) > 0 for row in rows)
        assert (tmp_path / "runs" / ".cache" / "translations").is_dir()
        pseudo = [argument for argument in arguments if not argument.startswith("relevance")]
        refused = cli(*pseudo, "check=true")
        assert refused.returncode == 1
        assert "relevance=top_k needs a reference side" in refused.stderr
        refused = cli(*arguments, "metric=[BLEU]", "check=true")
        assert refused.returncode == 1
        assert "MT metrics need a test set" in refused.stderr
