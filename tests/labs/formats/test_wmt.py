"""WMT's formats: SGML, one file a side, tags as they come; XML; folders of submissions with crossed references."""

import gzip
from pathlib import Path

import pytest

from clirbench.corpora.base import CorpusSource
from clirbench.corpora.folder import FolderCorpus
from clirbench.errors import Problems, UnknownName
from clirbench.labs.formats.wmt import SgmlCorpus, WmtFolder, WmtXmlCorpus, read_sides
from clirbench.systems.files import FileSystems
from tests.conftest import put

REF = ("reference", "A")
REFERENCE = """<refset setid="t" srclang="any" trglang="en">
<DOC sysid="x" sysid="ref" docid='a.1' genre="news">
<p>
<seg id="1">One & two &amp;amp; &lt;</seg>
<SEG id=2>
 Three
 four </SEG>
</p>
</DOC>
<doc docid="b"><hl><seg id="1">Five &eacute;</seg></hl></doc>
</refset>
"""


def side(text: str) -> str:
    return REFERENCE.replace("One", text).replace("Five", text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ref.sgm").write_text(REFERENCE)
    (tmp_path / "ref2.sgm").write_text(side("Uno"))
    (tmp_path / "src.sgm").write_text(side("Eins"))
    for system in ("x.1", "y"):
        put(tmp_path / "systems" / f"{system}.sgm", side(system))
    return tmp_path


def test_sides_are_read_into_lines_and_documents(folder: Path) -> None:
    references = [str(folder / "ref.sgm"), str(folder / "ref2.sgm")]
    source = SgmlCorpus(references, str(folder / "src.sgm"), str(folder / "systems"), references="all")
    assert isinstance(source, CorpusSource)
    corpus = source.read()
    assert corpus.test.references[0] == ("One & two &amp; <", "Three four", "Five &eacute;")
    assert corpus.test.references[1][0] == "Uno & two &amp; <"
    assert corpus.test.source is not None
    assert corpus.test.source[2] == "Eins &eacute;"
    assert corpus.document_map.doc_ids == ("a.1", "b")
    translations = FileSystems().translations(corpus)
    assert [t.system for t in translations] == ["x.1", "y"]


def test_clirevals_example(shared_data: Path) -> None:
    """16 segments of documents whose boundaries test.doc_mapping.tsv gives as doc_id, segment; text as in test.txt."""
    folder = shared_data / "clir" / "clireval" / "tests" / "test_data"
    (segments,) = read_sides(folder / "test.sgm", REF).values()
    rows = (folder / "test.doc_mapping.tsv").read_text().split("\n")[:-1]
    assert list(segments) == [tuple(row.split("\t")) for row in rows]
    assert list(segments.values()) == (folder / "test.txt").read_text(encoding="utf-8").split("\n")[:-1]


def test_all_that_is_wrong_is_said_at_once(folder: Path) -> None:
    (folder / "systems" / "x.1.sgm").write_text("")
    (folder / "systems" / "y.sgm").write_text("</seg>")
    with pytest.raises(Problems, match=r"(?s)x\.1\.sgm: no <seg>.*y\.sgm: line 1: </seg>"):
        SgmlCorpus(str(folder / "ref.sgm"), systems=str(folder / "systems")).read()


SET = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest">
 <collection id="general">
  <doc origlang="de" id="a.1">
   <src lang="de"><p><seg id="1">Eins &amp;
     zwei</seg></p><p><seg id="2">Drei</seg></p></src>
   <ref lang="en" translator="B"><p><seg id="1">B one</seg><seg id="2">B three</seg></p></ref>
   <ref lang="en" translator="A"><p><seg id="1"> One &lt;two&gt; </seg><seg id="2">Three</seg></p></ref>
   <hyp lang="en" system="X"><p><seg id="1">x one</seg><seg id="2">x\u2028three</seg></p></hyp>
   <hyp lang="en" system="short"><p><seg id="1">s</seg></p></hyp>
  </doc>
  <doc origlang="de" id="b.2">
   <src lang="de"><p><seg id="1">Vier</seg></p></src>
   <ref lang="en" translator="A"><p><seg id="1">Four</seg></p></ref>
   <hyp lang="en" system="X"><p><seg id="1"></seg></p></hyp>
   <hyp lang="en" system="short"><p><seg id="1">t</seg></p></hyp>
  </doc>
 </collection>
</dataset>
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return put(tmp_path / "set.xml", SET)


def test_a_set_is_read_into_lines_and_documents(path: Path) -> None:
    source = WmtXmlCorpus(path)
    assert isinstance(source, CorpusSource)
    corpus = source.read()
    assert corpus.test.references == (("One <two>", "Three", "Four"),)
    assert corpus.test.source == ("Eins & zwei", "Drei", "Vier")
    assert corpus.document_map.doc_ids == ("a.1", "b.2")
    assert corpus.document_map.lengths.tolist() == [2, 1]
    assert [document.text for document in corpus.english] == ["One <two>\nThree", "Four"]


def test_its_systems_take_part_as_files_do(path: Path) -> None:
    (translation,) = FileSystems().translations(WmtXmlCorpus(path).read())
    assert translation.system == "X"
    assert translation.test is not None
    assert translation.test.lines() == ("x one", "x\u2028three", "")


def test_what_lacks_segments_is_left_out_and_noted(path: Path) -> None:
    notes = WmtXmlCorpus(path).read().notes
    assert [note.split(": ", 1)[1] for note in notes] == [
        "reference B is left out, 1 of 3 segments are missing: b.2 1",
        "system short is left out, 1 of 3 segments are missing: a.1 2",
    ]
    with pytest.raises(UnknownName, match="unknown reference of .* 'B'.*Choices: A"):
        WmtXmlCorpus(path, references="B").read()


def test_gzip_and_a_reference_without_a_name(tmp_path: Path) -> None:
    content = '<doc id="a"><ref><seg id="1">One</seg></ref><hyp system="x"><seg id="1">y</seg></hyp></doc>'
    with gzip.open(tmp_path / "set.xml.gz", "wb") as stream:
        stream.write(content.encode())
    corpus = WmtXmlCorpus(str(tmp_path / "set.xml.gz")).read()
    assert corpus.test.references == (("One",),)
    assert corpus.source is None


def test_comments_empty_segments_and_numbers_of_characters(tmp_path: Path) -> None:
    """As expat read them: the standard of XML 1.0, sections 2.5, 3.1 and 4.1."""
    content = '<!-- <doc id="z"> --><doc id="a"><ref><seg id="1">Z&#252;&#xFC; &e;</seg><seg id="2"/></ref></doc>'
    (tmp_path / "set.xml").write_text(content)
    assert read_sides(tmp_path / "set.xml") == {("reference", "A"): {("a", "1"): "Züü &e;", ("a", "2"): ""}}


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    folder = tmp_path / "wmt22" / "de-fr"
    put(folder / "source.txt", "eins\nzwei\ndrei\n")
    for name in "AB":
        (folder / f"reference-{name}.txt").write_text(f"{name} un\ndeux\ntrois\n")
    for name in ("one", "two"):
        put(folder / "systems" / f"{name}.txt", "un\ndeux\ntrois\n")
    return tmp_path


def test_the_first_reference_is_searched_and_scores(mirror: Path) -> None:
    source = WmtFolder(str(mirror), "wmt22/de-fr", documents_size=2)
    assert isinstance(source, CorpusSource)
    corpus = source.read()
    assert corpus.test.references == (("A un", "deux", "trois"),)
    assert corpus.english.text.lines() == ("A un", "deux", "trois")
    assert corpus.document_map.lengths.tolist() == [2, 1]
    assert corpus.notes == ("wmt22/de-fr: no docs.tsv; 2 consecutive lines are a document",)
    assert source.side_texts().where.endswith("wmt22/de-fr")


def test_crossed_references_search_one_and_score_against_the_other(mirror: Path) -> None:
    corpus = WmtFolder(str(mirror), "wmt22/de-fr/B-A").read()
    assert corpus.english.text.lines()[0] == "B un"
    assert corpus.test.references == (("A un", "deux", "trois"),)
    assert "reference B is searched, metrics score against reference A" in corpus.notes
    assert corpus.crossed == ("B", "A")


def test_one_reference_of_two_may_be_searched_and_score(mirror: Path) -> None:
    corpus = WmtFolder(str(mirror), "wmt22/de-fr/B-B").read()
    assert corpus.english.text.lines() == corpus.test.references[0] == ("B un", "deux", "trois")
    assert corpus.crossed is None


def test_a_folder_with_crossed_references_is_the_same_collection(shared_data: Path) -> None:
    ours = FolderCorpus(str(shared_data / "wmt22" / "de-en"), references="cross").read()
    theirs = WmtFolder(str(shared_data), "wmt22/de-en/A-B").read()
    assert ours.crossed == theirs.crossed == ("A", "B")
    assert ours.test == theirs.test
    assert [d.text for d in ours.english] == [d.text for d in theirs.english]
