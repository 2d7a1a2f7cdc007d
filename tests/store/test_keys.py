"""Keys: equal for equal content, different for everything that can move a number."""

import ast
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.measures.rbo import RBO
from clirbench.metrics.bleu import BLEU
from clirbench.store.keys import code_of, fingerprint, imported, imports_in
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


def test_arrays_count_with_type_and_shape() -> None:
    ones = np.ones(4)
    different = [ones, ones.reshape(2, 2), ones.astype(np.float32), np.ones(5), -ones]
    assert len({fingerprint(array) for array in different}) == len(different)
    assert fingerprint(np.arange(6).reshape(2, 3).T) == fingerprint(np.ascontiguousarray(np.arange(6).reshape(2, 3).T))


def test_text_is_its_content_and_not_its_path(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_bytes(b"a\nb\n")
    (tmp_path / "other.txt").write_bytes(b"a\nb\n")
    one = fingerprint(TextFile(tmp_path / "one.txt"))
    assert one == fingerprint(TextFile(tmp_path / "other.txt")) == fingerprint(TextLines(("a", "b")))
    (tmp_path / "other.txt").write_bytes(b"a\nB\n")
    assert one != fingerprint(TextFile(tmp_path / "other.txt"))


def test_every_field_of_a_component_counts() -> None:
    components = [BLEU(), BLEU(tokenize="intl"), BLEU(lowercase=True), RBO(), RBO(p=0.9)]
    assert len({fingerprint(component) for component in components}) == len(components)
    assert fingerprint(BLEU()) == fingerprint(BLEU())


def test_every_noun_counts_by_content() -> None:
    run = Run.of({"1": {"a": 2.0, "b": 1.0}})
    same = Run.of({"1": {"b": 1.0, "a": 2.0}})
    assert fingerprint(run) == fingerprint(same)
    assert fingerprint(run) != fingerprint(Run.of({"1": {"a": 2.0, "b": 1.5}}))
    assert fingerprint(TestSet((("a",),))) != fingerprint(TestSet((("a",),), source=("a",)))
    assert fingerprint(Topic.of("1", "a b")) != fingerprint(Topic("1", (("a", 1.0), ("b", 1.0))))
    assert fingerprint(DocumentMap.blocks_of(4, 2)) != fingerprint(DocumentMap.blocks_of(3, 2))


def test_a_field_that_is_not_compared_is_no_part_of_a_key() -> None:
    @dataclass(frozen=True)
    class Noted:
        value: int
        note: str = field(default="", compare=False)

    assert fingerprint(Noted(1, "a")) == fingerprint(Noted(1, "b")) != fingerprint(Noted(2, "a"))


def test_the_signature_of_a_component_is_part_of_its_key() -> None:
    # The version of a library moves numbers and is in no field.
    @dataclass(frozen=True)
    class Versioned:
        version: str = field(compare=False)

        @property
        def signature(self) -> str:
            return f"v:{self.version}"

    assert fingerprint(Versioned("1")) != fingerprint(Versioned("2"))


@pytest.mark.parametrize("value", [Path("a"), object(), np.array([object()]), fingerprint])
def test_what_has_no_content_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="part of a key"):
        fingerprint(value)


def test_the_code_of_a_module_is_what_it_imports_from_its_own_package() -> None:
    modules = imported("clirbench.metrics.bleu")
    assert {"clirbench.metrics.bleu", "clirbench.metrics.tokens", "clirbench.types"} <= modules
    assert "clirbench.metrics.chrf" not in modules
    assert not any(name.startswith("clirbench.report") for name in modules)
    assert len(modules) <= 16


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("import a.b as c, d\n", {"a.b", "d"}),
        ("x = 1; import a; from b import c;import d  # import e", {"a", "b", "b.c", "d"}),
        ("if x: import a\nelse:\n\tfrom b import (c,  # of d)\n    e as f,\n)\n", {"a", "b", "b.c", "b.e"}),
        ("from a import(b)\r\nfrom c import \\\r\n  d\r\nimport \\\n  e", {"a", "a.b", "c", "c.d", "e"}),
        ("from . import a\nfrom .b import c\nimported = from_ = 1", set()),
    ],
)
def test_imports_are_found_however_they_are_written(code: str, names: set[str]) -> None:
    assert set(imports_in(code)) == names


def test_all_our_imports_are_found() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (Path(__file__).parents[2] / "clirbench").rglob("*.py")]
    assert len(sources) > 200
    for source in sources:
        nodes = list(ast.walk(ast.parse(source)))
        names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        parts = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
        names |= {f"{node.module}.{alias.name}" for node in parts for alias in node.names}
        assert names <= set(imports_in(source))


def test_editing_one_measure_leaves_other_keys_alone(tmp_path: Path) -> None:
    """A comment in one measure used to change the key of every statistic, run and score."""
    package = Path(__file__).parents[2] / "clirbench"
    shutil.copytree(package, tmp_path / "clirbench", ignore=shutil.ignore_patterns("__pycache__", "data"))
    names = ("metrics.bleu", "retrieval.bm25", "measures.rbo", "steps.evaluate", "measures.rbp")
    code = f"from clirbench.store.keys import code_of; print(*(code_of(f'clirbench.{{n}}') for n in {names}))"

    def keys() -> list[str]:
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.split()

    before = keys()
    rbp = tmp_path / "clirbench" / "measures" / "rbp.py"
    rbp.write_text(rbp.read_text(encoding="utf-8") + "# a comment\n", encoding="utf-8")
    after = keys()
    assert after[:-1] == before[:-1]
    assert after[-1] != before[-1]


def test_changing_a_module_anywhere_below_changes_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "somebodys"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "metric.py").write_text("def f():\n    from somebodys.inner import g\n    return g()\n")
    (package / "inner.py").write_text("def g():\n    return 1\n")
    (package / "apart.py").write_text("")
    (package / "words.txt").write_text("the\n")
    monkeypatch.syspath_prepend(tmp_path)
    codes = [code_of("somebodys.metric")]
    for name, text, moves in (
        ("apart.py", "x = 1\n", False),
        ("inner.py", "def g():\n    return 2\n", True),
        ("words.txt", "a\n", True),
    ):
        (package / name).write_text(text)
        code_of.cache_clear()
        codes.append(code_of("somebodys.metric"))
        assert (codes[-1] != codes[-2]) is moves, name
    for name in [name for name in sys.modules if name.startswith("somebodys")]:
        del sys.modules[name]


def test_keys_are_made_without_loading_compilers() -> None:
    """What a component imports is read from its source; a rerun that computes nothing needs none of it."""
    code = "import sys; from clirbench.store.keys import code_of; code_of('clirbench.metrics.bleu')"
    code += "; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "numba" not in done.stdout.split()
