"""WMT XML: sides by document and segment, what is left out, what is refused."""

import gzip
from pathlib import Path

import pytest

from clirbench.corpora.base import CorpusSource
from clirbench.errors import UnknownName
from clirbench.labs.formats.wmt import WmtXmlCorpus, read_sides
from clirbench.systems.files import FileSystems

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
    path = tmp_path / "set.xml"
    path.write_text(SET, encoding="utf-8")
    return path


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
