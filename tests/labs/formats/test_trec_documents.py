"""TREC documents."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.errors import ConfigError, InputError
from clirbench.labs.formats.documents import DocumentReader
from clirbench.labs.formats.trec_documents import TrecDocuments
from tests.hostile import read_or_refused, repeated

FILE = """<DOC>
<DOCNO> FT911-3 </DOCNO>
<DATE>910514</DATE>
<HEADLINE>A head</HEADLINE>
<TEXT>
<P>First.</P>
Second 1 < 2.
</TEXT>
</DOC>
<doc><docno>x</docno><text>lower</text></doc>
<DOC>
<DOCNO>empty</DOCNO>
</DOC>
"""


def test_documents_are_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "b.trec").write_text(FILE)
    with gzip.open(tmp_path / "a.gz", "wb") as stream:
        stream.write(b"<DOC><DOCNO>zipped</DOCNO><TEXT>t</TEXT></DOC>")
    reader = TrecDocuments()
    assert isinstance(reader, DocumentReader)
    read = {doc_id: text.split() for doc_id, text in reader.documents(tmp_path)}
    assert read == {
        "zipped": ["t"],
        "FT911-3": ["A", "head", "First.", "Second", "1", "<", "2."],
        "x": ["lower"],
        "empty": [],
    }
    assert dict(TrecDocuments(["DATE"]).documents(tmp_path / "b.trec"))["FT911-3"] == "910514"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("text", "line 1: text outside of <DOC>"),
        ("<DOC><DOCNO>a</DOCNO><TEXT>x</TEXT></DOC>\ntext", "text outside of <DOC>"),
        ("\n<DOC><DOCNO>a</DOCNO>", "line 2: the document is not closed by </DOC>"),
        ("<DOC>\n<DOC>", "line 2: <DOC> within a document"),
        ("</DOC>", "line 1: </DOC> closes no document"),
        ("<DOC></DOC>", "line 1: a document has one DOCNO, this has 0"),
        ("<DOC><DOCNO>a</DOCNO><DOCNO>b</DOCNO></DOC>", "this has 2"),
        ("<DOC><DOCNO>a</DOCNO><BODY>x</BODY></DOC>", "no document has any of the fields TITLE, HEADLINE, TEXT"),
    ],
)
def test_a_bad_file_names_its_line(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "a").write_text(content)
    with pytest.raises(InputError, match=message):
        list(TrecDocuments().documents(tmp_path / "a"))


def test_fields_are_a_list_of_names() -> None:
    for fields in ("TEXT", [], ["A B"]):
        with pytest.raises(ConfigError, match=r"corpus\.reader\.fields"):
            TrecDocuments(fields)


PIECES = ["<DOC>", "</DOC>", "<DOCNO>a</DOCNO>", "<DOCNO> b </DOCNO>", "<TEXT>", "</TEXT>", "text", "\n", "<P>", "\xff"]


@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_any_bytes_are_read_or_refused_by_an_input_error(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "any"
    path.write_bytes("".join(pieces).encode("latin-1"))
    try:
        documents = list(TrecDocuments().documents(path))
    except InputError as error:
        refused = str(error)
    else:
        assert len(documents) == pieces.count("</DOC>")
        return
    assert str(path) in refused


@pytest.mark.parametrize("before", ["", "<DOC>", "<DOC><DOCNO>1</DOCNO><TEXT>", "<DOC><DOCNO>1</DOCNO><TITLE>"])
@pytest.mark.parametrize(
    "piece",
    [
        "<DOC>",
        "</DOC>",
        "<DOC ",
        "<DOCNO>",
        "</DOCNO>",
        "<TITLE>",
        "<TEXT>",
        "<TITLE><TEXT>",
        "</TITLE>",
        "<a",
        "<",
        "x",
    ],
)
@pytest.mark.parametrize("after", ["", "</DOC>"])
def test_hostile_files_are_read_or_refused_at_once(tmp_path: Path, before: str, piece: str, after: str) -> None:
    read = lambda path: list(TrecDocuments().documents(path))  # noqa: E731
    assert len(read_or_refused(read, tmp_path / "a", repeated(piece, before, after))) < 600


def test_fields_that_are_not_closed_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(
        "<DOC><DOCNO>1</DOCNO><TITLE>one<TEXT>two</text ><HEADLINE >three</HEADLINE><TEXT>four</TEXT><TITLE></DOC>"
    )
    assert list(TrecDocuments().documents(tmp_path / "a")) == [("1", "two three four")]
