"""Systems from files: which take part, what they are called, and what is wrong with them."""

from pathlib import Path

import pytest

from clirbench.corpora.base import Corpus
from clirbench.corpora.folder import FolderCorpus
from clirbench.errors import AlignmentError, InputError, Problems, UnknownName
from clirbench.systems.files import FileSystems
from tests.conftest import put


def corpus_of(folder: Path, systems: dict[str, str], **more: str) -> Corpus:
    files = {f"systems/{name}": content for name, content in systems.items()}
    files |= {name.replace("_", "."): content for name, content in {"reference_txt": "one\ntwo\n", **more}.items()}
    for name, content in files.items():
        put(folder / name, content)
    return FolderCorpus(str(folder)).read()


def test_names_and_metadata(tmp_path: Path) -> None:
    table = "name\tstep\tkind\nb\t200\tbig\nmissing\t1\tx\n"
    corpus = corpus_of(tmp_path, {"b.txt": "1\n2\n", "a.b.txt": "1\n2"}, systems_tsv=table)
    found = FileSystems().translations(corpus)
    assert [(t.system, dict(t.metadata)) for t in found] == [("a.b", {}), ("b", {"step": "200", "kind": "big"})]
    assert [t.system for t in FileSystems(exclude=["a*"]).translations(corpus)] == ["b"]
    assert [t.system for t in FileSystems(include="b").translations(corpus)] == ["b"]
    assert [t.system for t in FileSystems(include=["a*", "b"]).translations(corpus)] == ["a.b", "b"]


def test_line_counts_of_every_system_are_checked(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, {"a.txt": "1\n2\n3\n", "b.txt": "1\n2\n", "c.txt": ""})
    with pytest.raises(Problems, match=r"a\.txt has 3 lines, .*reference\.txt has 2(.|\n)*c\.txt has 0 ") as raised:
        FileSystems().translations(corpus)
    assert all(isinstance(error, AlignmentError) for error in raised.value.errors)


def test_no_systems(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, {"a.out": "1\n2\n"})
    with pytest.raises(InputError, match=r"no systems: .*systems/NAME\.txt.*systems/a\.out"):
        FileSystems().translations(corpus)


def test_patterns_that_match_nothing_or_leave_nothing(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, {"alpha.txt": "1\n2\n", "beta.txt": "1\n2\n"})
    with pytest.raises(UnknownName, match=r"system 'alpa'\. Did you mean 'alpha'\? Choices: alpha, beta"):
        FileSystems(include=["alpa"]).translations(corpus)
    with pytest.raises(InputError, match=r"leave none of alpha, beta"):
        FileSystems(exclude=["*"]).translations(corpus)


def test_both_folders_have_the_same_systems(tmp_path: Path) -> None:
    corpus_of(tmp_path / "one", {"a.txt": "1\n2\n", "b.txt": "1\n2\n"})
    corpus_of(tmp_path / "two", {"a.txt": "1\n2\n", "c.txt": "1\n2\n"})
    corpus = FolderCorpus(str(tmp_path / "one"), str(tmp_path / "two")).read()
    with pytest.raises(Problems, match=r"one: no file of c, which .*\[c\]'\n.*test_folder=.*two: no file of b, "):
        FileSystems().translations(corpus)
    assert [t.system for t in FileSystems(include=["a"]).translations(corpus)] == ["a"]
