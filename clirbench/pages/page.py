"""The one page: a title, and sections of sentences, lists, tables and figures, in the order of reading."""

from collections.abc import Mapping, Sequence
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


class Code(str):
    """Text for machines, line for line as it is."""

    __slots__ = ()


@dataclass(frozen=True)
class Links:
    """Files beside a page, after what they are."""

    text: str
    files: Sequence[str]


@dataclass(frozen=True)
class Selection:
    """Drawings of which a reader chooses: `drawings[metric, measure]` is a svg.

    `colours[column]` has (name, svg of its mark) of each group; a mark's `data-of` counts the columns in this order.
    """

    title: str
    drawings: Mapping[tuple[str, str], str]
    colours: Mapping[str, Sequence[tuple[str, str]]]
    ellipses: bool = False

    def options(self, at: int) -> list[str]:
        """The metrics (0) or the measures (1)."""
        return list(dict.fromkeys(pair[at] for pair in self.drawings))


Block = str | Points | Links | Table | Plots | Selection


@dataclass(frozen=True)
class Section:
    """A part of a page: `name` is its anchor; without a title it continues the page's head.

    `menu`: its name among the links; `fold`: shown when it is opened; `screen`: of pages alone, not of Markdown.
    """

    name: str
    title: str
    blocks: Sequence[Block] = ()
    menu: str = ""
    fold: bool = False
    screen: bool = False


@dataclass(frozen=True)
class Page:
    """What a command tells, once for all writers; an open browser loads it again every `reload` seconds, if any."""

    title: str
    sections: Sequence[Section]
    reload: int = 0


def points(
    name: str, title: str, lines: Sequence[str], codes: Sequence[str] = (), menu: str = "", fold: bool = False
) -> tuple[Section, ...]:
    """A section with one list, folded where it has codes; none where there is nothing to list."""
    return (Section(name, title, (Points(lines, codes),), menu, fold or bool(codes)),) if lines else ()
