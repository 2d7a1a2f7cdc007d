"""TREC documents."""

import gzip
from pathlib import Path

from clirbench.labs.formats.documents import DocumentReader, TrecDocuments

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


def test_fields_that_are_not_closed_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(
        "<DOC><DOCNO>1</DOCNO><TITLE>one<TEXT>two</text ><HEADLINE >three</HEADLINE><TEXT>four</TEXT><TITLE></DOC>"
    )
    assert list(TrecDocuments().documents(tmp_path / "a")) == [("1", "two three four")]
