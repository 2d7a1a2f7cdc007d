"""WMT SGML: one file a side, tags as they come."""

from pathlib import Path

import pytest

from clirbench.corpora.base import CorpusSource
from clirbench.errors import Problems
from clirbench.labs.formats.wmt import SgmlCorpus, read_sides
from clirbench.systems.files import FileSystems
from tests.hostile import read_or_refused

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
    (segments,) = read_sides(folder / "test.sgm", REF).values()
    rows = (folder / "test.doc_mapping.tsv").read_text().split("\n")[:-1]
    assert list(segments) == [tuple(row.split("\t")) for row in rows]
    assert list(segments.values()) == (folder / "test.txt").read_text(encoding="utf-8").split("\n")[:-1]


def test_all_that_is_wrong_is_said_at_once(folder: Path) -> None:
    (folder / "systems" / "x.1.sgm").write_text("")
    (folder / "systems" / "y.sgm").write_text("</seg>")
    with pytest.raises(Problems, match=r"(?s)x\.1\.sgm: no <seg>.*y\.sgm: line 1: </seg>"):
        SgmlCorpus(str(folder / "ref.sgm"), systems=str(folder / "systems")).read()


def test_an_attribute_of_ten_thousand_characters(tmp_path: Path) -> None:
    def long_names(size: int) -> str:
        n = max(1, size // 20_000)
        tag = f'<doc docid="d" {"x" * (size // n // 2)} {"y" * (size // n // 2)}="z"><seg id="1">text</seg></doc>\n'
        return "".join(tag.replace('"d"', f'"d{number}"') for number in range(n))

    assert read_or_refused(lambda path: read_sides(path, REF), tmp_path / "a.sgm", long_names) == ""
    assert len(read_sides(tmp_path / "a.sgm", REF)[REF]) == 25  # 500,000 characters, 20,000 a document
