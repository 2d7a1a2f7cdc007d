"""How much work a reader does, counted: the same number on every machine, whatever else runs there.

Counted are each line that is executed, the length of each string or container that a variable newly refers to, the
characters that a method of a file's text looks at or copies, and each step of a regular expression, those that
backtracking repeats among them. `re` does its steps in C, so a small matcher of our own does them over again, and
must end where `re` ends. Not seen: copies within C whose result no variable has (`b"".join` of what was joined).
"""

import gc
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]  # the tree of a pattern, which `re` has under no other name
from types import FrameType
from typing import Any

import pytest

from clirbench import text

ROOT = str(Path(__file__).resolve().parents[1])
CATEGORIES = {"SPACE": r"\s", "WORD": r"\w", "DIGIT": r"\d"}
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


Rest = Callable[[int], int | None]
"""From a position, the end of a match; None where there is none."""


class Matcher:
    """What `re` does for one pattern, step by step."""

    def __init__(self, pattern: Any, text: str, steps: Steps) -> None:
        self.tree, self.flags = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG), pattern.flags
        self.text, self.steps = text, steps

    def end(self, start: int, whole: bool = False) -> int | None:
        """The end of the match that begins at `start`."""
        return self.sequence(self.tree, 0, start, lambda at: at if not whole or at == len(self.text) else None)

    def sequence(self, nodes: Any, number: int, at: int, rest: Rest) -> int | None:
        if number == len(nodes):
            return rest(at)
        self.steps.add()
        name, value = nodes[number]
        then: Rest = lambda end: self.sequence(nodes, number + 1, end, rest)  # noqa: E731
        return getattr(self, str(name).lower(), self.character)(name, value, at, then)  # type: ignore[no-any-return]

    def character(self, name: Any, value: Any, at: int, rest: Rest) -> int | None:
        return rest(at + 1) if at < len(self.text) and self.fits(name, value, self.text[at]) else None

    def fits(self, name: Any, value: Any, char: str) -> bool:
        return fits(str(name), tuple(value) if isinstance(value, list) else value, self.flags, char)

    def subpattern(self, _: Any, value: Any, at: int, rest: Rest) -> int | None:
        return self.sequence(value[3], 0, at, rest)

    def branch(self, _: Any, value: Any, at: int, rest: Rest) -> int | None:
        return next((end for way in value[1] if (end := self.sequence(way, 0, at, rest)) is not None), None)

    def atomic_group(self, _: Any, value: Any, at: int, rest: Rest) -> int | None:
        end = self.sequence(value, 0, at, lambda end: end)
        return None if end is None else rest(end)

    def at(self, _: Any, value: Any, at: int, rest: Rest) -> int | None:
        name, text = str(value), self.text
        if "BOUNDARY" in name:
            word = [0 <= i < len(text) and self.fits("IN", ((parser.CATEGORY, parser.CATEGORY_WORD),), text[i])
                    for i in (at - 1, at)]  # fmt: skip
            true = (word[0] != word[1]) != ("NON" in name)
        elif "BEGINNING" in name:
            lines = self.flags & re.MULTILINE and "STRING" not in name
            true = at == 0 or (bool(lines) and text[at - 1] == "\n")
        else:
            lines = self.flags & re.MULTILINE and "STRING" not in name
            last = "STRING" not in name and at == len(text) - 1 and text[at] == "\n"
            true = at == len(text) or last or (bool(lines) and text[at] == "\n")
        return rest(at) if true else None

    def holds(self, value: Any, at: int) -> bool:
        direction, nodes = value
        start = at if direction > 0 else at - nodes.getwidth()[0]
        return start >= 0 and self.sequence(nodes, 0, start, lambda end: end) is not None

    def assert_(self, _: Any, value: Any, at: int, rest: Rest) -> int | None:
        return rest(at) if self.holds(value, at) else None

    def assert_not(self, _: Any, value: Any, at: int, rest: Rest) -> int | None:
        return None if self.holds(value, at) else rest(at)

    def ends(self, value: Any, at: int) -> list[int]:
        """Where a body that is one character wide, or that never goes back, ends after each time."""
        least, most, body = value
        ends = [at]
        while len(ends) <= most and (end := self.sequence(body, 0, ends[-1], lambda end: end)) not in (None, ends[-1]):
            ends.append(end)
        return ends[least:]

    def max_repeat(self, _: Any, value: Any, at: int, rest: Rest, lazy: bool = False) -> int | None:
        least, most, body = value
        if body.getwidth() == (1, 1):
            ends = self.ends(value, at)
            for end in ends if lazy else reversed(ends):
                self.steps.add()
                if (found := rest(end)) is not None:
                    return found
            return None

        def again(end: int) -> int | None:
            return (
                None
                if end == at and not least
                else self.max_repeat(_, (max(0, least - 1), most - 1, body), end, rest, lazy)
            )

        ways = [lambda: self.sequence(body, 0, at, again) if most else None, lambda: None if least else rest(at)]
        return next((end for way in (reversed(ways) if lazy else ways) if (end := way()) is not None), None)

    def min_repeat(self, name: Any, value: Any, at: int, rest: Rest) -> int | None:
        return self.max_repeat(name, value, at, rest, lazy=True)

    def possessive_repeat(self, _: Any, value: Any, at: int, rest: Rest) -> int | None:
        ends = self.ends(value, at)
        return rest(ends[-1]) if ends else None


setattr(Matcher, "assert", Matcher.assert_)  # the name of the node is a word of the language


@cache
def fits(name: str, value: Any, flags: int, char: str) -> bool:
    """Whether a node that is one character wide takes this character."""
    chars = {char, char.lower(), char.upper()} if flags & re.IGNORECASE else {char}
    if name == "ANY":
        return char != "\n" or bool(flags & re.DOTALL)
    if name in ("LITERAL", "NOT_LITERAL"):
        return any(ord(c) == value for c in chars if len(c) == 1) != name.startswith("NOT")
    if name == "RANGE":
        return any(value[0] <= ord(c) <= value[1] for c in chars if len(c) == 1)
    if name == "CATEGORY":
        kind = str(value).removeprefix("CATEGORY_")
        found = re.fullmatch(CATEGORIES[kind.removeprefix("NOT_")], char, flags & re.ASCII)
        return bool(found) != kind.startswith("NOT")
    if name != "IN":
        raise NotImplementedError(f"{name} in a regular expression: teach tests/counting.py to count it")
    negated = str(value[0][0]) == "NEGATE"
    return any(fits(str(kind), v, flags, char) for kind, v in value[negated:]) != negated


class CountedPattern:
    """A compiled pattern whose every step is counted; the matches are those of `re`."""

    def __init__(self, real: Any, steps: Steps) -> None:
        self.real, self.steps = real, steps

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def counted(self, text: Any, at: int, found: Any, last: int | None = None, whole: bool = False) -> Any:
        """What `re` found beginning in `at` to `last`, once its steps are counted; fails where they lead elsewhere."""
        plain = text.decode("latin-1") if isinstance(text, bytes) else str(text)
        matcher = Matcher(self.real, plain, self.steps)
        starts = range(at, (len(plain) if last is None else last) + 1)
        spans = ((start, end) for start in starts if (end := matcher.end(start, whole)) is not None)
        assert next(spans, None) == (found and found.span()), f"{self.real.pattern!r}: not the match of re"
        return found

    def match(self, text: Any, at: int = 0) -> Any:
        return self.counted(text, at, self.real.match(text, at), at)

    def fullmatch(self, text: Any, at: int = 0) -> Any:
        return self.counted(text, at, self.real.fullmatch(text, at), at, whole=True)

    def search(self, text: Any, at: int = 0) -> Any:
        return self.counted(text, at, self.real.search(text, at))

    def finditer(self, text: Any, at: int = 0) -> Iterator[Any]:
        while found := self.search(text, at):
            assert found.end() > found.start(), "a match without a character: teach tests/counting.py to count it"
            yield found
            at = found.end()

    def sub(self, new: Any, text: Any, count: int = 0) -> Any:
        for _, _ in zip(self.finditer(text), range(count or len(text)), strict=False):
            pass
        return counting(self.real.sub(new, text, count), self.steps)

    def split(self, text: Any) -> Any:
        return self.sub("", text) and counting(self.real.split(text), self.steps)

    def findall(self, text: Any) -> Any:
        return self.sub("", text) and self.real.findall(text)


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
    """Replace, wherever clirbench has them: patterns and the contents of files."""
    compiled, contents, pieces = re.compile, text.whole_content, text._pieces

    def counts(value: Any) -> Any:
        if isinstance(value, re.Pattern):
            return CountedPattern(value, steps)
        if isinstance(value, dict) and any(isinstance(v, re.Pattern) for v in value.values()):
            return {key: counts(item) for key, item in value.items()}
        return (lambda path: counting(contents(path), steps)) if value is contents else value

    patch.setattr(text, "_pieces", lambda *arguments: (counting(piece, steps) for piece in pieces(*arguments)))
    for module in [module for name, module in sys.modules.items() if name.startswith("clirbench.")]:
        for name, value in list(vars(module).items()):
            if (new := counts(value)) is not value:
                patch.setattr(module, name, new)
    patch.setattr(re, "compile", lambda pattern, flags=0: CountedPattern(compiled(pattern, flags), steps))
