"""Europarl's release format: kept lines, and the published counts."""

from pathlib import Path

import pytest

from clirbench.labs.formats.documents import DocumentReader, EuroparlDocuments, without_parenthesis

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
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ep-00-01-17.txt").write_text(SITTING)
    (tmp_path / "ep-00-01-18.txt").write_text("<CHAPTER ID=1>\nA heading alone\n")
    return tmp_path


def read(folder: Path, min_lines: int = 3) -> dict[str, str]:
    reader = EuroparlDocuments(min_lines)
    assert isinstance(reader, DocumentReader)
    return dict(reader.documents(folder))


def test_a_file_is_a_document(folder: Path) -> None:
    text = "Resumption I declare resumed. We go on. A point of order. Yes. Agenda"
    assert read(folder) == {"ep-00-01-17": text}
    assert read(folder, min_lines=0) == {"ep-00-01-17": text, "ep-00-01-18": "A heading alone"}


def test_documents_that_another_side_chose_are_not_dropped(folder: Path) -> None:
    assert len(list(EuroparlDocuments().documents(folder, every=True))) == 2


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
