"""The one page: a title, and sections of sentences, lists, tables and figures, in the order of reading."""

from collections.abc import Sequence
from dataclasses import dataclass

from clirbench.pages.table import Table


class Alarm(str):
    """A sentence that nobody may overlook."""

    __slots__ = ()


class Aside(str):
    """A sentence in small letters: how to read what is beside it."""

    __slots__ = ()


@dataclass(frozen=True)
class Points:
    """Short texts, one below the other; `codes`: the exact text that each is about."""

    lines: Sequence[str]
    codes: Sequence[str] = ()

    def pairs(self) -> list[tuple[str, str]]:
        return list(zip(self.lines, self.codes or [""] * len(self.lines), strict=True))


@dataclass(frozen=True)
class Plots:
    """Drawings under one name, each as (words for those who do not see it, SVG); `open`: shown at once."""

    title: str
    drawings: Sequence[tuple[str, str]]
    open: bool = False


Block = str | Points | Table | Plots


@dataclass(frozen=True)
class Section:
    """A part of a page: `name` is its anchor; without a title it continues the page's head."""

    name: str
    title: str
    blocks: Sequence[Block] = ()


@dataclass(frozen=True)
class Page:
    """What a command tells, once for all writers."""

    title: str
    sections: Sequence[Section]


def points(name: str, title: str, lines: Sequence[str], codes: Sequence[str] = ()) -> tuple[Section, ...]:
    """A section with one list; none where there is nothing to list."""
    return (Section(name, title, (Points(lines, codes),)),) if lines else ()
