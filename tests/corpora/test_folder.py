"""A folder of MT outputs: what is read, and every fault that is found. Expected values are worked by hand."""

import gzip
from pathlib import Path

import pytest

from clirbench.corpora.folder import FolderCorpus
from clirbench.errors import AlignmentError, ClirbenchError, ConfigError, InputError, Problems, UnknownName
from clirbench.systems.files import FileSystems


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return folder


GOOD: dict[str, str | bytes] = {
    "source.txt": "eins\nzwei\ndrei\nvier\n",
    "reference.txt": "one\ntwo\u2028more\nthree\nfour\n",
    "docs.tsv": "line\tdoc_id\tx\n1\tb\t\n2\tb\t\n3\ta\t\n4\tc\t\n",
    "systems/s1.txt": "one\ntwo\n\nfour\n",
    "systems/s2.txt": "uno\ndue\ntre\nquattro\n",
}


def test_a_folder_is_read(tmp_path: Path) -> None:
    corpus = FolderCorpus(str(write(tmp_path, GOOD))).read()
    assert corpus.test.references == (("one", "two\u2028more", "three", "four"),)
    assert corpus.test.source == ("eins", "zwei", "drei", "vier")
    assert [(d.doc_id, d.text) for d in corpus.english] == [("b", "one\ntwo\u2028more"), ("a", "three"), ("c", "four")]


def test_gzip_several_references_and_blocks_of_lines(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "reference-A.txt.gz": "a1\na2\na3\n",
        "reference-B.txt": "b1\nb2\nb3",
        "systems/x.y.txt.gz": "1\n2\n3",
    }
    write(tmp_path, files)
    first = FolderCorpus(str(tmp_path), documents_size=2).read()
    assert first.test.references == (("a1", "a2", "a3"),)
    assert [(d.doc_id, d.text) for d in first.english] == [("1", "a1\na2"), ("2", "a3")]
    assert [t.system for t in FileSystems().translations(first)] == ["x.y"]
    both = FolderCorpus(str(tmp_path), references=["B", "A"]).read()
    assert both.test.references == (("b1", "b2", "b3"), ("a1", "a2", "a3"))
    assert [d.text for d in both.english] == ["b1", "b2", "b3"]
    assert FolderCorpus(str(tmp_path), references="all").read().test.references == both.test.references[::-1]
    with pytest.raises(UnknownName, match=r"reference of .* 'C'.*Choices: A, B"):
        FolderCorpus(str(tmp_path), references=["A", "C"]).read()


def test_the_test_set_may_lie_in_another_folder(tmp_path: Path) -> None:
    collection = write(tmp_path / "collection", {**GOOD, "reference.txt": "one\n\nthree\nfour\n"})
    news = write(tmp_path / "news", {"reference.txt": "x\ny\n", "systems/s1.txt": "x\ny\n", "systems/s2.txt": "y\nx\n"})
    corpus = FolderCorpus(str(collection), str(news)).read()
    assert len(corpus.test) == 2
    assert corpus.english.map.n_lines == 4
    assert "1 of 4 lines are empty" in corpus.notes[0]
    translations = FileSystems().translations(corpus)
    assert translations[0].test is not None
    assert translations[0].test.lines() == ("x", "y")
    assert translations[0].collection is not None
    assert translations[0].collection.lines() == ("one", "two", "", "four")


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"reference.txt": None}, InputError, r"no reference\.txt"),
        ({"reference.txt": ""}, InputError, r"reference\.txt: has no lines"),
        ({"reference.txt": "one\n\nthree\n \n"}, InputError, r"reference\.txt: empty lines in an MT reference: 2, 4;"),
        ({"reference.txt": "\n" * 12}, Problems, r"1, 2, 3, 4, 5, 6, 7, 8, 9, 10, \.\.\. \(12 in all\)"),
        ({"source.txt": "eins\n"}, AlignmentError, r"source\.txt has 1 line, .*reference\.txt has 4"),
        ({"reference.txt.gz": "x"}, InputError, r"two files for reference A: reference\.txt, reference\.txt\.gz"),
        ({"systems/s1.txt.gz": "x"}, InputError, r"two files for system 's1'"),
        ({"systems/a\tb.txt": "x"}, InputError, r"system name 'a\\tb' holds a control character"),
        ({"systems/a\nb.txt": "x"}, InputError, r"system name 'a\\nb' holds a control character"),
    ],
)
def test_what_a_faulty_folder_gets(
    tmp_path: Path, changes: dict[str, str | bytes | None], kind: type[ClirbenchError], message: str
) -> None:
    files = {**GOOD, **changes}
    write(tmp_path, {name: content for name, content in files.items() if content is not None})
    with pytest.raises(kind, match=message):
        FolderCorpus(str(tmp_path)).read()


def test_all_faults_are_shown_at_once_and_each_once(tmp_path: Path) -> None:
    write(tmp_path, {**GOOD, "reference.txt": "one\n\n", "docs.tsv": "line\tdoc_id\n1\ta\n"})
    with pytest.raises(Problems) as raised:
        FolderCorpus(str(tmp_path)).read()
    # The empty line, the source's length, the line that docs.tsv misses.
    assert len({str(error) for error in raised.value.errors}) == len(raised.value.errors) == 3


def test_missing_folders_and_settings(tmp_path: Path) -> None:
    with pytest.raises(Problems, match=r"a: no such folder\n.*b: no such folder"):
        FolderCorpus(str(tmp_path / "a"), str(tmp_path / "b")).read()
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file, a folder"):
        FolderCorpus(str(tmp_path / "file")).read()
    with pytest.raises(ConfigError, match=r"folder=DIR"):
        FolderCorpus("")
    with pytest.raises(ConfigError, match=r"documents\.size=0"):
        FolderCorpus("x", documents_size=0)


def test_one_reference_is_searched_and_another_scores(tmp_path: Path) -> None:
    write(tmp_path, {f"reference-{name}.txt": f"{name}1\n{name}2\n" for name in "ABC"} | {"systems/s.txt": "1\n2\n"})
    corpus = FolderCorpus(str(tmp_path), references="cross").read()
    assert corpus.crossed == ("A", "B")
    assert [d.text for d in corpus.english] == ["A1", "A2"]
    assert corpus.test.references == (("B1", "B2"),)
    assert corpus.notes == ("reference A is searched, metrics score against reference B",)
    other = FolderCorpus(str(tmp_path), references=["cross", "C", "A"]).read()
    assert other.crossed == ("C", "A")
    assert ([d.text for d in other.english], other.test.references) == (["C1", "C2"], (("A1", "A2"),))
    assert FolderCorpus(str(tmp_path), references=["B", "A"]).read().crossed is None


def test_crossed_references_need_two_in_one_folder(tmp_path: Path) -> None:
    one = write(tmp_path / "one", {"reference.txt": "a\n", "systems/s.txt": "1\n"})
    with pytest.raises(InputError, match=r"references=\['cross'\]: one reference is searched.* has A; name two"):
        FolderCorpus(str(one), references="cross").read()
    two = write(tmp_path / "two", {"reference-A.txt": "a\n", "reference-B.txt": "b\n", "systems/s.txt": "1\n"})
    with pytest.raises(InputError, match="has A, B; name two"):
        FolderCorpus(str(two), references=["cross", "A"]).read()
    with pytest.raises(UnknownName, match="'D'"):
        FolderCorpus(str(two), references=["cross", "A", "D"]).read()
    with pytest.raises(ConfigError, match="the test set and the collection are one folder"):
        FolderCorpus(str(two), str(one), references="cross").read()
