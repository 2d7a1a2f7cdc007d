"""WMT SGML: one file a side, tags as they come."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.corpora.base import CorpusSource
from clirbench.errors import ConfigError, InputError, Problems
from clirbench.labs.formats.sgml import SgmlCorpus, read_sgml
from clirbench.systems.files import FileSystems
from tests.hostile import read_or_refused, repeated

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
    (tmp_path / "systems").mkdir()
    (tmp_path / "ref.sgm").write_text(REFERENCE)
    (tmp_path / "ref2.sgm").write_text(side("Uno"))
    (tmp_path / "src.sgm").write_text(side("Eins"))
    for system in ("x.1", "y"):
        (tmp_path / "systems" / f"{system}.sgm").write_text(side(system))
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
    segments = read_sgml(folder / "test.sgm")
    rows = (folder / "test.doc_mapping.tsv").read_text().split("\n")[:-1]
    assert list(segments) == [tuple(row.split("\t")) for row in rows]
    assert list(segments.values()) == (folder / "test.txt").read_text(encoding="utf-8").split("\n")[:-1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"a\.sgm: no <seg> in it"),
        ("<doc>", r"a\.sgm: line 1: <doc> has no attribute docid"),
        ("<p>\n<seg id=1>x</seg>", r"line 2: <seg> stands outside a document"),
        ("<doc docid=a>\n<seg>x</seg>", r"line 2: <seg> has no attribute id"),
        ("<doc docid=a><seg id=1>x</seg>\n<seg id=1>x</seg>", r"line 2: segment 1 of document 'a' stands twice"),
        ("<doc docid=a>\n<seg id=1>x\n<seg id=2>", r"line 2: <seg> is not closed before the next tag, line 3"),
        ("<doc docid=a>\n<seg id=1>x", r"line 2: <seg> is not closed"),
        ("\n</seg>", r"line 2: </seg> closes no segment"),
    ],
)
def test_a_bad_file_names_its_line(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "a.sgm").write_text(content)
    with pytest.raises(InputError, match=message):
        read_sgml(tmp_path / "a.sgm")


def test_bytes_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.sgm").write_bytes(b"<doc docid=a>\n\xe9")
    with pytest.raises(InputError, match=r"a\.sgm: line 2, byte 1: 0xe9 is not valid UTF-8"):
        read_sgml(tmp_path / "a.sgm")


def test_all_that_is_wrong_is_said_at_once(folder: Path) -> None:
    (folder / "systems" / "x.1.sgm").write_text("")
    (folder / "systems" / "y.sgm").write_text("</seg>")
    with pytest.raises(Problems, match=r"(?s)x\.1\.sgm: no <seg>.*y\.sgm: line 1: </seg>"):
        SgmlCorpus(str(folder / "ref.sgm"), systems=str(folder / "systems")).read()


def test_missing_pieces_are_refused(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"corpus\.reference is not set"):
        SgmlCorpus()
    with pytest.raises(ConfigError, match="letters name at most 26"):
        SgmlCorpus(["x"] * 27)
    with pytest.raises(InputError, match="no such folder of SGML files"):
        SgmlCorpus(str(folder / "ref.sgm"), systems=str(folder / "none")).read()
    (folder / "empty").mkdir()
    with pytest.raises(InputError, match="no SGML files"):
        SgmlCorpus(str(folder / "ref.sgm"), systems=str(folder / "empty")).read()


PIECES = ["<doc docid=a>", "<doc>", "</doc>", "<seg id=1>", "<seg id='2'>", "</seg>", "text", "&amp;", "&", "\n"]
PIECES += ["<", "\xff"]


@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_any_bytes_are_read_or_refused_by_an_input_error(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "any.sgm"
    path.write_bytes("".join(pieces).encode("latin-1"))
    try:
        segments = read_sgml(path)
    except InputError as error:
        refused = str(error)
    else:
        assert len(segments) == pieces.count("</seg>")
        return
    assert str(path) in refused


@pytest.mark.parametrize(
    "before", ["", '<doc docid="a" ', '<doc docid="a"><seg id="1">x</seg>', '<doc docid="a"><seg id="']
)
@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<seg ",
        "<seg id=",
        '<seg id="',
        "<seg>",
        "</seg>",
        "<doc ",
        "a",
        "a=",
        "a ",
        "a= ",
        "a='",
        'a="',
        ">",
        "&amp;",
    ],
)
def test_hostile_files_are_read_or_refused_at_once(tmp_path: Path, before: str, piece: str) -> None:
    assert len(read_or_refused(read_sgml, tmp_path / "a.sgm", repeated(piece, before))) < 600


def test_an_attribute_of_ten_thousand_characters(tmp_path: Path) -> None:
    def long_names(size: int) -> str:
        n = max(1, size // 20_000)
        tag = f'<doc docid="d" {"x" * (size // n // 2)} {"y" * (size // n // 2)}="z"><seg id="1">text</seg></doc>\n'
        return "".join(tag.replace('"d"', f'"d{number}"') for number in range(n))

    assert read_or_refused(read_sgml, tmp_path / "a.sgm", long_names) == ""
    assert len(read_sgml(tmp_path / "a.sgm")) == 25  # 500,000 characters, 20,000 a document
