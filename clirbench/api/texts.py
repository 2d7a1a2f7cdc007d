"""Texts as Python holds them: lists, files of lines, frames, several references."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clirbench.api.outcome import pandas_frame
from clirbench.corpora.held import HeldCorpus
from clirbench.corpora.sides import first_ten
from clirbench.errors import ConfigError, InputError, closest
from clirbench.files.tables import require_columns
from clirbench.text import TextFile

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["system", "segment", "text"]


def lines_of(what: str, lines: Any) -> tuple[str, ...]:
    """Lines, each without the newline at its end; raises `InputError`, naming the first that is no text.

    what: the argument that they are.
    """
    if isinstance(lines, Path):
        return tuple(TextFile(lines).lines())
    if isinstance(lines, str | Mapping) or not isinstance(lines, Iterable):
        raise InputError(f"{what}: a list of lines was expected, or the Path of a file of lines, not {lines!r:.60}")
    kept = tuple(_plain(lines))
    if wrong := next((at for at, line in enumerate(kept, start=1) if not isinstance(line, str)), 0):
        raise InputError(f"{what}: line {wrong} is {kept[wrong - 1]!r:.60}: a list of lines was expected, each a text")
    return tuple(line.removesuffix("\n") for line in kept)


def each_reference(references: Any) -> Iterable[Any]:
    """One reference or several."""
    references = _plain(references)
    one = not isinstance(references, Iterable) or all(isinstance(line, str) for line in references)
    return [references] if one else references


def _plain(given: Any) -> Any:
    """A list of what can be gone through once only, and of Arrow's arrays, whose items are no texts."""
    to_list = getattr(given, "to_pylist", None)
    return to_list() if to_list else list(given) if isinstance(given, Iterator) else given


def held_corpus(texts: Any, references: Any, source: Any, documents: Any, size: int) -> HeldCorpus:
    """The corpus of what `run` was given; raises `ConfigError` and `InputError`, naming the argument."""
    frame = None if isinstance(texts, Mapping) else pandas_frame(texts)
    held = texts if frame is None else _by_system(frame)
    if not isinstance(held, Mapping) or not held:
        wanted = "{system: [line, ...]}, or a frame with the columns system, segment and text, was expected"
        raise ConfigError(f"texts: {wanted}, not {texts!r:.60}")
    if references is None:
        raise ConfigError("texts: what they are held against is missing, references=[line, ...]")
    if not isinstance(references, Mapping):
        references = {chr(ord("A") + at): one for at, one in enumerate(each_reference(references))}
    sides = {str(name): lines_of(f"references[{name!r}]", lines) for name, lines in references.items()}
    systems = {str(name): lines_of(f"texts[{name!r}]", lines) for name, lines in held.items()}
    if {1} == {*map(len, sides.values())} != {len(sides)} in [{len(lines)} for lines in systems.values()]:
        raise ConfigError("references: one list for each line; a list for each reference is [*zip(*references)]")
    return HeldCorpus(
        systems,
        sides,
        None if source is None else lines_of("source", source),
        None if documents is None else lines_of("documents", map(str, documents)),
        size,
    )


def _by_system(rows: "pd.DataFrame") -> Mapping[str, Sequence[str]]:
    """The lines of each system of a frame, by segment: numbers in their order, other names as they first stand."""
    if not any(closest(name, [*map(str, rows.columns)]) for name in COLUMNS):
        wide = "; of one with a column for each system give df.to_dict('list')"
        raise InputError(f"texts: a frame with the columns system, segment and text was expected{wide}")
    require_columns("texts", COLUMNS, [*map(str, rows.columns)])
    found: dict[str, dict[Any, str]] = {}
    for system, segment, text in rows[COLUMNS].itertuples(index=False):
        if segment in found.setdefault(str(system), {}):
            raise InputError(f"texts: system {str(system)!r} has segment {segment!r} twice")
        found[str(system)][segment] = text
    order = list(dict.fromkeys(rows["segment"]))
    order = sorted(order) if all(isinstance(one, Real) for one in order) else order
    for system, lines in found.items():
        if lacking := [segment for segment in order if segment not in lines]:
            raise InputError(f"texts: system {system!r} has no segment {first_ten(lacking)}, which others have")
    return {system: [lines[segment] for segment in order] for system, lines in found.items()}
