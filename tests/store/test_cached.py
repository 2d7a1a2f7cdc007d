"""The engine that remembers: nothing is computed twice, nothing wrong is kept, one failure stops nobody."""

import errno
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from clirbench.engines.local import Serial
from clirbench.later import load_value
from clirbench.measures.parsing import parse
from clirbench.steps import measured
from clirbench.store.cached import Cached, Call, Pass, Shared
from clirbench.store.store import Entry, Store
from clirbench.text import TextFile
from clirbench.types import Doubles, Failure, Judged, Qrels, Run
from tests.lines import Lengths, called, made_texts


@pytest.fixture
def cached(tmp_path: Path) -> Cached:
    return Cached(Serial(), Store(tmp_path / "store"))


def another_line(texts: list[TextFile], _: Path) -> list[TextFile]:
    texts[1].path.write_text("another first line\n" + texts[1].path.read_text(encoding="utf-8"), encoding="utf-8")
    return texts


def moved(texts: list[TextFile], folder: Path) -> list[TextFile]:
    for text in texts:
        (folder / f"moved-{text.path.name}").write_bytes(text.path.read_bytes())
        os.utime(folder / f"moved-{text.path.name}", (1, 1))
    return [TextFile(folder / f"moved-{text.path.name}") for text in texts]


@pytest.mark.parametrize(
    ("change", "computed"),
    [
        (lambda texts, _: texts[::-1], []),
        (another_line, ["s001.txt"]),
        (moved, []),
        (lambda texts, folder: [*texts, made_texts(folder, 4)[1][3]], ["s003.txt"]),
    ],
    ids=["another order", "another line", "moved and touched", "one more"],
)
def test_only_what_is_new_is_computed(
    cached: Cached, tmp_path: Path, change: Callable[..., list[TextFile]], computed: list[str]
) -> None:
    _, texts = made_texts(tmp_path, 3)
    step = Lengths(tmp_path / "calls")
    first = sorted(value.tobytes() for value in cached.pmap(step, texts))
    step.calls.unlink()
    again = sorted(value.tobytes() for value in cached.pmap(step, change(texts, tmp_path)))
    assert called(step.calls) == computed
    assert computed or again == first


def powers(text: TextFile, calls: Path, *wanted: int) -> Pass:
    """A job of which each call gives a power of a text's lengths."""
    lengths = Shared(Lengths(calls))
    first = Call(lengths, (text,), "lengths", bulky=True)
    return Pass({0: first, **{n: Call(np.power, (first, n), str(n)) for n in wanted}}, Shared(text), text.path.stem)


def power(lengths: Doubles, n: int) -> Doubles:
    return lengths**n


def test_only_what_is_missing_is_computed_and_is_a_part_of_its_own(
    cached: Cached, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(np, "power", power)
    _, texts = made_texts(tmp_path, 2)
    calls = tmp_path / "calls"
    list(cached.run([powers(text, calls, 1, 2) for text in texts]))
    before = {path: path.read_bytes() for path in cached.store.path.rglob("*.part")}
    assert called(calls) == ["s000.txt", "s001.txt"]
    for value in cached.run([powers(text, calls, 1, 2, 3) for text in texts]):
        assert list(value) == [0, 1, 2, 3]
        assert isinstance(value[0], Entry)
        assert (value[1] ** 3).tolist() == value[3].tolist() == (load_value(value[0]) ** 3).tolist()
    assert called(calls) == ["s000.txt", "s001.txt"]
    assert len(before) == 2
    assert len(list(cached.store.path.rglob("*.part"))) == 4
    assert all(path.read_bytes() == content for path, content in before.items())


def test_calls_of_one_function_that_takes_many_are_made_together(cached: Cached, tmp_path: Path) -> None:
    ideal = Run.of({"1": {"a": 3.0, "b": 2.0, "c": 1.0}})
    run = Shared(Run.of({"1": {"b": 3.0, "a": 2.0, "d": 1.0}}))
    judged = {"": Judged(Qrels({"1": {"a": 1, "b": 1}}), ideal), "qrels": Judged(Qrels({"1": {"c": 1}}), ideal)}
    known = {label: Shared(one) for label, one in judged.items()}

    def values(*asked: tuple[str, str]) -> list[float]:
        calls = {one: Call(measured, (parse(one[1]), known[one[0]], run), many=True) for one in asked}
        [found] = cached.run([Pass(calls, run)])
        return [found[one].tolist() for one in asked]

    # a and b are ranked first and second: average precision 1; c is not retrieved.
    both = values(("", "MAP"), ("qrels", "MAP"), ("", "RBO(p=0.9)"))
    assert both[:2] == [[1.0], [0.0]]
    assert values(("", "RBO(p=0.8)"), ("qrels", "MAP"))[1] == [0.0]
    assert len(list(cached.store.path.rglob("*.part"))) == 2


def test_a_failure_stops_nobody_and_is_tried_again(cached: Cached, tmp_path: Path) -> None:
    _, texts = made_texts(tmp_path, 3)
    content = texts[1].path.read_text(encoding="utf-8")
    texts[1].path.write_text(f"FAIL\n{content}", encoding="utf-8")
    step = Lengths(tmp_path / "calls")
    one, two, three = cached.pmap(step, texts)
    assert isinstance(one, np.ndarray)
    assert isinstance(three, np.ndarray)
    assert two == Failure(f"{texts[1].path}: line 1: FAIL cannot be counted")
    step.calls.unlink()
    list(cached.pmap(step, texts))
    assert called(step.calls) == ["s001.txt"]
    texts[1].path.write_text(content, encoding="utf-8")
    assert isinstance(list(cached.pmap(step, texts))[1], np.ndarray)


def test_what_failed_before_and_a_file_that_is_gone_are_failures_of_their_systems(
    cached: Cached, tmp_path: Path
) -> None:
    _, texts = made_texts(tmp_path, 2)
    texts[0].path.unlink()
    failure = Failure("no run")
    before, gone, there = cached.pmap(Lengths(tmp_path / "calls"), [failure, *texts])
    assert before is failure
    assert isinstance(gone, Failure)
    assert "s000.txt" in gone.reason
    assert isinstance(there, np.ndarray)
    assert called(tmp_path / "calls") == ["s001.txt"]


def test_mistakes_of_the_program_are_not_swallowed(cached: Cached, tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Wrong:
        def __call__(self, item: TextFile) -> Doubles:
            raise ZeroDivisionError("a mistake")

    _, texts = made_texts(tmp_path, 1)
    with pytest.raises(ZeroDivisionError, match="a mistake"):
        list(cached.pmap(Wrong(), texts))


@dataclass(frozen=True)
class Meddled(Lengths):
    """Somebody writes to the file while the step reads it."""

    line: str = field(default="one more line", compare=False)

    def __call__(self, text: TextFile) -> Doubles:
        value = super().__call__(text)
        with text.path.open("a", encoding="utf-8") as file:
            file.write(f"{self.line}\n")
        return value


def test_a_file_that_changes_while_it_is_read_is_found_out(cached: Cached, tmp_path: Path) -> None:
    _, texts = made_texts(tmp_path, 2)
    found = list(cached.pmap(Meddled(tmp_path / "calls"), texts))
    for text, failure in zip(texts, found, strict=True):
        assert failure == Failure(f"{text.path} changed while this run was reading it; run again once it is complete")
    assert list(cached.store.path.rglob("*.part")) == []


def test_where_the_store_cannot_be_written_the_results_are_right_and_it_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _, texts = made_texts(tmp_path, 3)
    step = Lengths(tmp_path / "calls")
    with pytest.MonkeyPatch.context() as patch, caplog.at_level(logging.WARNING):

        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        patch.setattr("clirbench.store.store.write_part", full)
        engine = Cached(Serial(), Store(tmp_path / "store"))
        found = list(engine.pmap(step, texts))
        assert len(list(engine.pmap(step, texts[:1]))) == 1
    for value, text in zip(found, texts, strict=True):
        assert value.tolist() == step(text).tolist()
    # Said once, not for every system and every step.
    assert [record.getMessage() for record in caplog.records] == [
        f"results are not kept for a rerun: {tmp_path / 'store'}: cannot be written (No space left on device); "
        "choose another folder with paths.cache=DIR, or make room"
    ]
