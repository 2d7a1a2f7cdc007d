"""How much work a reader does, counted: the same number on every machine, whatever else runs there.

Counted are each line that is executed, the length of each string or container that a variable newly refers to, and
the characters that a method of a file's text looks at or copies. Not seen: copies within C whose result no variable has
(`b"".join` of what was joined), and what `re` does; for that `tests/hostile.py` reads texts that are too long for it.
"""

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from clirbench import text

ROOT = str(Path(__file__).resolve().parents[1])
SIZED = (str, bytes, list, tuple, dict, set, frozenset)


class TooMuch(AssertionError):
    """More steps than were allowed."""


class Steps:
    """A count of steps, and the most there may be."""

    def __init__(self, most: int) -> None:
        self.n, self.most = 0, most

    def add(self, n: int = 1) -> None:
        self.n += n
        if self.n > self.most:
            raise TooMuch(f"more than {self.most:,} steps")


def counting(value: Any, steps: Steps) -> Any:
    """The same text (or list of texts) of a kind whose methods count the characters that they look at or copy."""
    if isinstance(value, list | tuple):
        return type(value)(counting(item, steps) for item in value)
    if type(value) not in (str, bytes):
        return value
    made = COUNTED[type(value)](value)
    made.steps = steps
    return made


def method(kind: type, name: str) -> Callable[..., Any]:
    """The method of str or bytes, which also counts: to where something is found, or as far as it was looked for."""

    def called(self: Any, *arguments: Any) -> Any:
        found = getattr(kind, name)(self, *arguments)
        length = len(self)
        if name in ("find", "index", "rfind", "rindex", "count"):
            low, high, _ = slice(*(arguments[1:] if len(arguments) > 2 else (*arguments[1:], None))).indices(length)
            length = found + 1 - low if name in ("find", "index") and found >= 0 else high - low
            length = high - found if name in ("rfind", "rindex") and found >= 0 else length
        elif name in ("__getitem__", "__add__", "__radd__"):
            length = len(found) if isinstance(found, kind) else 1
        elif name in ("startswith", "endswith"):
            length = 1
        self.steps.add(max(1, length))
        return counting(found, self.steps)

    return called


def counted_kind(kind: type) -> type:
    plain = {"__len__", "__iter__", "__bytes__", "__buffer__", "__getnewargs__", "maketrans", "fromhex", *dir(object)}
    methods = {name: method(kind, name) for name in dir(kind) if name not in plain}
    methods["__radd__"] = lambda self, other: counting(other, self.steps).__add__(self)
    return type(f"Counted{kind.__name__}", (kind,), methods)


COUNTED = {kind: counted_kind(kind) for kind in (str, bytes)}


@contextmanager
def at_most(most: int) -> Iterator[Steps]:
    """Within the block the work of clirbench is counted; more than `most` steps end it with `TooMuch`."""
    steps, seen = Steps(most), {}  # what was counted is kept, so that no other object has its identity

    def line(frame: FrameType, event: str, _: Any) -> Any:
        steps.add()
        for value in frame.f_locals.values():
            if isinstance(value, SIZED) and id(value) not in seen:
                seen[id(value)] = value
                steps.add(len(value))
        return line

    def call(frame: FrameType, event: str, _: Any) -> Any:
        file = frame.f_code.co_filename
        return line if file.startswith(ROOT) and file != __file__ else None

    with pytest.MonkeyPatch.context() as patch:
        patched(patch, steps)
        before, collecting = sys.gettrace(), gc.isenabled()
        gc.disable()  # libraries have the collector call them, at moments that no reader chooses
        sys.settrace(call)
        try:
            yield steps
        finally:
            sys.settrace(before)
            if collecting:
                gc.enable()


def patched(patch: pytest.MonkeyPatch, steps: Steps) -> None:
    """Replace the contents of files, wherever clirbench has them."""
    contents, pieces = text.whole_content, text._pieces
    patch.setattr(text, "_pieces", lambda *arguments: (counting(piece, steps) for piece in pieces(*arguments)))
    for module in [module for name, module in sys.modules.items() if name.startswith("clirbench.")]:
        for name, value in list(vars(module).items()):
            if value is contents:
                patch.setattr(module, name, lambda path: counting(contents(path), steps))
