"""Keys: equal for equal content, different for everything that can move a number."""

import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clirbench.measures.rbo import RBO
from clirbench.metrics.bleu import BLEU
from clirbench.store.keys import code_in, fingerprint
from clirbench.text import TextFile, TextLines
from clirbench.types import DocumentMap, Run, TestSet, Topic

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4).map(tuple) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def exact(value: object) -> object:
    """A form in which 1, 1.0 and True, 0.0 and -0.0, and orders of a mapping differ."""
    if isinstance(value, tuple):
        return [exact(member) for member in value]
    if isinstance(value, dict):
        return ["dict", *((name, exact(held)) for name, held in value.items())]
    return type(value).__name__, repr(value)


@given(PLAIN, PLAIN)
def test_values_have_one_fingerprint_exactly_when_they_are_the_same(one: object, other: object) -> None:
    assert (fingerprint(one) == fingerprint(other)) == (exact(one) == exact(other))


@given(st.lists(st.text(max_size=3), max_size=4), st.lists(st.text(max_size=3), max_size=4))
def test_where_one_value_ends_and_the_next_begins_counts(one: list[str], other: list[str]) -> None:
    assert (fingerprint(*one) == fingerprint(*other)) == (one == other)


@dataclass(frozen=True)
class Noted:
    value: int
    note: str = field(default="", compare=False)


@dataclass(frozen=True)
class Versioned:
    """The version of a library moves numbers and is in no field."""

    version: str = field(compare=False)

    @property
    def signature(self) -> str:
        return f"v:{self.version}"


@dataclass(frozen=True)
class Server:
    made_elsewhere: ClassVar[bool] = True
    path: Path
    signature: str = "model:1"


ONES = np.ones(4)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (ONES, ONES.reshape(2, 2), False),
        (ONES, ONES.astype(np.float32), False),
        (ONES, -ONES, False),
        (np.arange(6).reshape(2, 3).T, np.ascontiguousarray(np.arange(6).reshape(2, 3).T), True),
        (BLEU(), BLEU(), True),
        (BLEU(), BLEU(tokenize="intl"), False),
        (BLEU(), BLEU(lowercase=True), False),
        (RBO(), RBO(p=0.9), False),
        (Run.of({"1": {"a": 2.0, "b": 1.0}}), Run.of({"1": {"b": 1.0, "a": 2.0}}), True),
        (Run.of({"1": {"a": 2.0, "b": 1.0}}), Run.of({"1": {"a": 2.0, "b": 1.5}}), False),
        (TestSet((("a",),)), TestSet((("a",),), source=("a",)), False),
        (Topic.of("1", "a b"), Topic("1", (("a", 1.0), ("b", 1.0))), False),
        (DocumentMap.blocks_of(4, 2), DocumentMap.blocks_of(3, 2), False),
        (Noted(1, "a"), Noted(1, "b"), True),
        (Noted(1), Noted(2), False),
        (Versioned("1"), Versioned("2"), False),
        (Server(Path("a")), Server(Path("b")), True),
        (Server(Path("a")), Server(Path("a"), "model:2"), False),
    ],
)
def test_everything_counts_by_content(one: object, other: object, same: bool) -> None:
    assert (fingerprint(one) == fingerprint(other)) is same


def test_text_is_its_content_and_not_its_path(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_bytes(b"a\nb\n")
    (tmp_path / "other.txt").write_bytes(b"a\nb\n")
    one = fingerprint(TextFile(tmp_path / "one.txt"))
    assert one == fingerprint(TextFile(tmp_path / "other.txt")) == fingerprint(TextLines(("a", "b")))
    (tmp_path / "other.txt").write_bytes(b"a\nB\n")
    assert one != fingerprint(TextFile(tmp_path / "other.txt"))


@pytest.mark.parametrize("value", [Path("a"), object(), np.array([object()]), lambda: 1])
def test_what_has_no_content_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="part of a key"):
        fingerprint(value)


def keys(root: Path) -> list[str]:
    """Keys of a metric of the core, of one of a laboratory and of two of a user's, by the code in a folder."""
    code = (
        "from clirbench.store.keys import environment, fingerprint; from clirbench.metrics.bleu import BLEU; "
        "from clirbench.labs.search.libraries import RankBM25; from mine.metric import Mine; import mine; "
        "print(*(fingerprint(environment(), one) for one in (BLEU(), RankBM25(), Mine(), mine.Mine())))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_code_counts_by_the_rooms_that_compute_and_elsewhere_by_the_folder(tmp_path: Path) -> None:
    package = Path(__file__).parents[2] / "clirbench"
    shutil.copytree(package, tmp_path / "clirbench", ignore=shutil.ignore_patterns("__pycache__", "data"))
    (tmp_path / "mine").mkdir()
    metric = "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Mine:\n    pass\n"
    for name in ("metric", "__init__"):
        (tmp_path / "mine" / f"{name}.py").write_text(metric)
    (tmp_path / "mine" / "words.txt").write_text("the\n")
    before = keys(tmp_path)
    for name, stale in (
        ("clirbench/report/answer.py", [False, False, False, False]),
        ("clirbench/configuration/keys.py", [False, False, False, False]),
        ("beside.txt", [False, False, False, False]),
        ("clirbench/measures/rbp.py", [True, True, True, True]),
        ("clirbench/labs/search/lucene.py", [False, True, False, False]),
        ("mine/words.txt", [False, False, True, True]),
    ):
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write("# a comment\n")
        after = keys(tmp_path)
        assert [one != other for one, other in zip(before, after, strict=True)] == stale, name
        before = after


def test_what_is_being_compiled_is_no_code(tmp_path: Path) -> None:
    """Python and the build write beside the place of a file: a run that starts then would find nothing in the store."""
    before = code_in(tmp_path)
    for name in ("a.cpython-311.pyc.140234", "kernels.so.4711", "words.tsv"):
        (tmp_path / name).write_text("x")
        assert (code_in(tmp_path) == before) == (name != "words.tsv")
