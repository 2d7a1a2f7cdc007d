"""Texts as Python holds them: lists, files of lines, frames, several references."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clirbench.api.outcome import pandas_frame
from clirbench.corpora.held import HeldCorpus
from clirbench.corpora.sides import first_ten
from clirbench.errors import ConfigError, InputError
from clirbench.text import TextFile

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["system", "segment", "text"]
CALLED = {
    "system": "sys system_id system_name sysid name model mt_system engine",
    "segment": "seg segment_id seg_id segid line line_id sentence sentence_id sent_id id index",
    "text": "txt hyp hypothesis translation mt target output lines hypotheses prediction candidate tgt",
}
"""What others call them."""


def lines_of(what: str, lines: Any) -> tuple[str, ...]:
    """Lines, each without the newline at its end; raises `InputError`, naming the first that is no text.

    what: the argument that they are.
    """
    if isinstance(lines, Path):
        return tuple(TextFile(lines).lines())
    if meant := _instead(lines):
        raise InputError(f"{what}: a list of lines was expected, not {lines!r:.60}; {meant}")
    kept = tuple(_plain(lines))
    if wrong := next((at for at, line in enumerate(kept, start=1) if not isinstance(line, str)), 0):
        join = "; give [' '.join(words) for words in LINES]" if isinstance(kept[wrong - 1], list) else ""
        empty = kept[wrong - 1] is None or kept[wrong - 1] != kept[wrong - 1]  # NaN
        join = "; an empty line is '', in pandas LINES.fillna('')" if empty else join
        said = f"{what}: line {wrong} is {kept[wrong - 1]!r:.60}: a list of lines was expected, each a text"
        raise InputError(f"{said}{join}")
    return tuple(line.removesuffix("\n") for line in kept)


def _instead(lines: Any) -> str:
    """What to give instead of what is no list of lines; nothing for what may be one."""
    if isinstance(lines, Mapping):
        return "give [*LINES.values()]"
    if hasattr(lines, "columns"):
        return f"give one column, FRAME[{str([*lines.columns][-1])!r}]"
    if not isinstance(lines, str):
        return "" if isinstance(lines, Iterable) else "leave it out, or give [line, ...]"
    if "\n" in lines:
        return "give TEXT.splitlines()"
    return f"give [{lines!r:.60}]" if " " in lines.strip() else f"of a file of lines give pathlib.Path({lines!r})"


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
        wanted = "a frame with the columns system, segment and text, or {system: [line, ...]} was expected"
        raise ConfigError(f"texts: {wanted}, not {texts!r:.60}; give texts={{'A': LINES_OF_A, 'B': LINES_OF_B}}")
    if references is None:
        raise ConfigError("texts: what they are held against is missing, references=[line, ...]")
    keys = [*references] if isinstance(references, Mapping) else []
    if not keys:
        references = {chr(ord("A") + at): one for at, one in enumerate(each_reference(references))}
    said = [f"references[{key!r}]" for key in keys or range(len(references))]
    called = dict(zip(references, said if len(said) > 1 else ["references"], strict=True))  # as the caller wrote it
    sides = {str(name): lines_of(called[name], lines) for name, lines in references.items()}
    systems = {str(name): lines_of(f"texts[{name!r}]", lines) for name, lines in held.items()}
    if {1} == {*map(len, sides.values())} != {len(sides)} in [{len(lines)} for lines in systems.values()]:
        raise ConfigError("references: one list for each line; a list for each reference is [*zip(*references)]")
    return HeldCorpus(
        systems,
        sides,
        None if source is None else lines_of("source", source),
        None if documents is None else lines_of("documents", documents if _instead(documents) else map(str, documents)),
        size,
        {str(name): one for name, one in called.items()},
    )


def _by_system(rows: "pd.DataFrame") -> Mapping[str, Sequence[str]]:
    """The lines of each system of a frame, by segment: numbers in their order, other names as they first stand."""
    there = [*map(str, rows.columns)]
    if lacking := [name for name in COLUMNS if name not in there]:
        others = [name for name in there if name not in COLUMNS]
        near = {one: name for name in lacking for one in others if one.lower() in CALLED[name].split()}
        wide = "; one with a column for each system is df.to_dict('list')" if lacking == COLUMNS else ""
        meant = f"; give df.rename(columns={near})" if near else wide
        raise InputError(f"texts: no column {', '.join(lacking)}{meant}; columns: {', '.join(there[:6])}")
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
