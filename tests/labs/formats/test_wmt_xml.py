"""WMT XML: sides by document and segment, what is left out, what is refused."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.corpora.base import CorpusSource
from clirbench.errors import ConfigError, InputError, UnknownName
from clirbench.labs.formats.wmt_xml import WmtXmlCorpus, read_wmt_xml
from clirbench.systems.files import FileSystems
from tests.hostile import read_or_refused, repeated

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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<doc>", r"set\.xml: line 1: <doc> has no attribute id"),
        ("<dataset>\n<seg id='1'>x</seg></dataset>", r"line 2: <seg> stands outside src, ref and hyp"),
        ("<src/>", "line 1: <src> stands outside a document"),
        ("<doc id='a'><hyp/></doc>", "line 1: <hyp> has no attribute system"),
        ("<doc id='a'><ref><seg>x</seg></ref></doc>", "line 1: <seg> has no attribute id"),
        (
            "<doc id='a'><ref><seg id='1'>x</seg>\n<seg id='1'>y</seg></ref></doc>",
            "line 2: segment 1 of document 'a' stands twice in ref A",
        ),
        ("<doc id='a'><ref>\n</doc>", r"line 2: not well-formed XML \(mismatched tag\)"),
        ("", r"not well-formed XML \(no element found\)"),
        ("<dataset/>", "no segments with a source or a reference"),
        ("<doc id='a'><src><seg id='1'>x</seg></src></doc>", "no reference in it"),
        ("<doc id='a b'><ref><seg id='1'>x</seg></ref></doc>", "doc_id 'a b' is empty or holds white space"),
        ("<!DOCTYPE d [<!ENTITY e 'x'>]>\n<d/>", "line 1: the file declares a document type"),
        ("<?xml version='1.0' encoding='none'?><d/>", r"set\.xml: "),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "set.xml").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        WmtXmlCorpus(tmp_path / "set.xml").read()


def test_interleaved_documents_are_refused(tmp_path: Path) -> None:
    parts = [f"<doc id='{d}'><ref><seg id='{i}'>x</seg></ref></doc>" for i, d in enumerate("aba")]
    (tmp_path / "set.xml").write_text(f"<d>{''.join(parts)}</d>")
    with pytest.raises(InputError, match="the lines of a document must be contiguous: a comes back on line"):
        WmtXmlCorpus(tmp_path / "set.xml").read()


def test_a_path_is_needed() -> None:
    with pytest.raises(ConfigError, match=r"corpus\.path=FILE"):
        WmtXmlCorpus()


PIECES = ["<doc id='a'>", "</doc>", "<src>", "</src>", "<ref translator='A'>", "</ref>", "<hyp system='x'>", "</hyp>"]
PIECES += ["<seg id='1'>", "<seg id='2'>", "</seg>", "text", "&amp;", "&", "\n", "<d>", "</d>", "\xff", "<!-- -->"]


@given(st.lists(st.sampled_from(PIECES), max_size=14), st.booleans())
def test_any_bytes_are_read_or_refused_by_an_input_error(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str], wrapped: bool
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "any.xml"
    content = "".join(pieces)
    path.write_bytes((f"<d>{content}</d>" if wrapped else content).encode("latin-1"))
    try:
        release = read_wmt_xml(path)
        release.corpus()
    except InputError as error:
        refused = str(error)
    else:
        sides = (release.source, *release.references.values(), *release.systems.values())
        assert content.count("</seg>") == sum(map(len, sides))
        return
    assert str(path) in refused


IN_A_SEGMENT = "<d><doc id='1'><src><seg id='1'>"


def attributes(size: int, attribute: str) -> str:
    return "".join(attribute.format(number) for number in range(size // 13))


def with_a_list_of_attributes(size: int) -> str:
    return (
        "<!DOCTYPE d [<!ATTLIST d " + attributes(size, "a{} CDATA 'x' ") + ">]><d>" + "<d/>" * (size // 2000) + "</d>"
    )


def with_many_attributes(size: int) -> str:
    return "<d " + attributes(size, "a{}='x' ") + "/>"


@pytest.mark.parametrize(
    "content",
    [
        with_a_list_of_attributes,
        with_many_attributes,
        repeated("x\n", "<d a='"),
        *(repeated(piece, before) for before in ("<d>", IN_A_SEGMENT) for piece in ("<a>", "&amp;", "<a/>", "\n", "x")),
    ],
    ids=range(13),
)
def test_hostile_files_are_read_or_refused_at_once(tmp_path: Path, content: Callable[[int], str]) -> None:
    assert len(read_or_refused(read_wmt_xml, tmp_path / "a.xml", content)) < 600
