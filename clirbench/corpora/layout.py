"""Which file plays which part in a folder of MT outputs, decided by its name alone.

    source.txt[.gz]                      the source side
    reference.txt[.gz]                   reference A; further ones are reference-B.txt, reference-C.txt, ...
    reference.jsonl[.gz]                 the same as documents, one JSON object a line (searched collections only)
    docs.tsv[.gz]                        which lines make which document
    systems/NAME.txt[.gz] | .jsonl[.gz]  what the MT system NAME wrote
    systems.tsv[.gz]                     metadata of the systems
    scores.tsv[.gz]                      scores that came from elsewhere
    official-metrics.tsv, human.tsv      scores that the organisers of a campaign published (`corpora/official.py`)

The files need not be in one folder: a data manifest lists the same names and finds each in a mirror or the cache.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from clirbench.checks import name_list
from clirbench.corpora.jsonl import JsonlText
from clirbench.errors import ClirbenchError, InputError, UnknownName, gathered, raise_all
from clirbench.text import Text, TextFile, check_name, near_path

_TEXT = r"\.(?:txt|jsonl)(?:\.gz)?"
_REFERENCE = re.compile(rf"reference(?:-(?P<name>.+?))?{_TEXT}", re.DOTALL)
_SYSTEM = re.compile(rf"systems/(?P<name>[^/]+?){_TEXT}", re.DOTALL)
_SINGLE = re.compile(r"(?P<name>source\.txt|(?:docs|systems|scores|official-metrics|human)\.tsv)(?:\.gz)?")
_PARTS = {"reference": _REFERENCE, "system": _SYSTEM, "": _SINGLE}


class Files(Protocol):
    """Where the files of a layout lie."""

    def locate(self, names: Sequence[str]) -> Mapping[str, Path]:
        """The path of each name; raises an error that lists all that cannot be had."""


@dataclass(frozen=True)
class NamedFiles:
    """Files at known paths."""

    paths: Mapping[str, Path]

    def locate(self, names: Sequence[str]) -> Mapping[str, Path]:
        return {name: self.paths[name] for name in names}


@dataclass(frozen=True, eq=False)
class Layout:
    """The files of one folder of MT outputs by their role; `files` says where each is.

    `references` and `systems` map a name (`A`, `Online-B`) to a file; `singles` maps `source.txt`, `docs.tsv`,
    `systems.tsv` and `scores.tsv` to the file that is there, packed or not; `ignored` are the files of no known part.
    `doc_ids`: the document of each line, and what says so, where that is not docs.tsv.
    """

    where: str
    files: Files
    references: Mapping[str, str]
    systems: Mapping[str, str]
    singles: Mapping[str, str]
    ignored: tuple[str, ...] = ()
    doc_ids: tuple[str, Sequence[str]] | None = None

    def text(self, file: str) -> Text:
        """The text of one of the files of this layout."""
        return self.texts([file])[0]

    def texts(self, files: Sequence[str]) -> tuple[Text, ...]:
        """The texts of several files, located in one go so that all that is missing is reported at once."""
        located = self.files.locate(files)
        return tuple(text_at(located[file]) for file in files)

    @property
    def source(self) -> Text | None:
        """The text of the source side; None where the folder has none."""
        return self.text(self.singles["source.txt"]) if "source.txt" in self.singles else None

    def single(self, name: str) -> Path | None:
        """The path of `docs.tsv`, `source.txt`, ...; None where the folder has none."""
        file = self.singles.get(name)
        return None if file is None else self.files.locate([file])[file]


def text_at(path: Path) -> Text:
    """The text of a file by its name: JSON-lines documents (`.jsonl`, `.jsonl.gz`) or plain lines."""
    return JsonlText(path) if is_jsonl(path) else TextFile(path)


def is_jsonl(path: Path) -> bool:
    """Whether a file is called .jsonl or .jsonl.gz."""
    return path.name.removesuffix(".gz").endswith(".jsonl")


def layout_of(where: str, names: Iterable[str], files: Files) -> Layout:
    """Sort file names into parts.

    Raises `InputError` (or `Problems`) for two files that play the same part, and for a system or reference that
    cannot be called that (`check_name`).
    """
    parts: dict[str, dict[str, list[str]]] = {part: {} for part in _PARTS}
    ignored: list[str] = []
    for file in sorted(names):
        known = ((part, pattern.fullmatch(file)) for part, pattern in _PARTS.items())
        part, found = next((one for one in known if one[1]), ("", None))
        if found:
            parts[part].setdefault(found["name"] or "A", []).append(file)
        else:
            ignored.append(file)
    errors: list[ClirbenchError] = []
    for part, group in parts.items():
        for name, files_of in group.items():
            if len(files_of) > 1:
                called = f"{part} {name!r}" if part == "system" else f"{part} {name}".strip()
                errors.append(InputError(f"{where}: two files for {called}: {', '.join(files_of)}; keep one of them"))
            with gathered(errors):
                check_name(where, f"{part} name", name)
    raise_all(errors)
    references, systems, singles = ({name: held[0] for name, held in parts[part].items()} for part in _PARTS)
    return Layout(where, files, references, systems, singles, tuple(ignored))


def folder_layout(folder: str | Path) -> Layout:
    """The layout of a folder; raises `InputError` where it is missing or is no folder."""
    paths = _named_paths(folder)
    return layout_of(str(folder), paths, NamedFiles(paths))


def _named_paths(folder: str | Path) -> dict[str, Path]:
    root = existing_folder(folder)
    systems = files_in(root / "systems") if (root / "systems").is_dir() else {}
    return files_in(root) | {f"systems/{name}": path for name, path in systems.items()}


def translations_layout(folder: str | Path, english: str | None = None) -> Layout:
    """A translated collection: a folder as `folder_layout` reads it, or with the systems' files directly in it.

    `english` is the English side where it is elsewhere (it replaces the folder's references).
    """
    paths = _named_paths(folder)
    if not (existing_folder(folder) / "systems").is_dir():
        paths = {
            name if _REFERENCE.fullmatch(name) or _SINGLE.fullmatch(name) else f"systems/{name}": path
            for name, path in paths.items()
        }
    if english:
        paths = {name: path for name, path in paths.items() if not _REFERENCE.fullmatch(name)}
        paths["reference.jsonl" if is_jsonl(Path(english)) else "reference.txt"] = Path(english).expanduser()
    return layout_of(str(folder), paths, NamedFiles(paths))


def existing_folder(folder: str | Path) -> Path:
    """The folder; raises `InputError` where it is missing or is a file."""
    root = Path(folder).expanduser()
    if not root.exists():
        raise InputError(f"{folder}: no such folder{near_path(root)}")
    if not root.is_dir():
        raise InputError(f"{folder}: is a file, a folder of MT outputs was expected")
    return root


def files_in(folder: Path) -> dict[str, Path]:
    """The files of a folder by name, without hidden ones and folders."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror})") from None
    if broken := [path for path in entries if path.is_symlink() and not path.exists()]:
        raise InputError(f"{broken[0]}: is a link to {broken[0].readlink()}, which does not exist; remove or mend it")
    return {path.name: path for path in entries if not path.name.startswith(".") and path.is_file()}


def chosen_references(layout: Layout, references: str | Sequence[str]) -> tuple[str, ...]:
    """The names of the references to use: `first`, `all`, one name, or several; the first named is searched.

    Raises `InputError` where the folder has no reference, `UnknownName` for one that it does not have.
    """
    if not layout.references:
        where = Path(layout.where)
        around = where.parent.glob("reference*") if where.name == "systems" else where.glob("*/reference*")
        folders = sorted({path.parent for path in around})
        meant = f"; type folder={folders[0]}" if folders else ""
        if len(folders) > 1:
            meant += f", or another of its {len(folders)} folders that have one"
        raise InputError(f"{where}: no reference.txt or reference.txt.gz (nor reference-A.txt, ...) in it{meant}")
    names = name_list("references", references)
    if names in (("first",), ()):
        return (min(layout.references),)
    if names == ("all",):
        return tuple(sorted(layout.references))
    raise_all(
        [UnknownName(f"reference of {layout.where}", n, layout.references) for n in names if n not in layout.references]
    )
    if len(set(names)) < len(names):
        raise InputError(f"references={list(names)}: a reference is named twice")
    return names


def crossed_references(layout: Layout, references: str | Sequence[str]) -> tuple[str, str] | None:
    """The references that are searched and scored against where these differ: `cross`, or `[cross,X,Y]`; else None.

    `cross` takes the first two. Raises `InputError` where there are not two, and as `chosen_references` does.
    """
    names = name_list("references", references)
    if names[:1] != ("cross",):
        return None
    chosen = chosen_references(layout, names[1:] or "all")
    if len(chosen) < 2 or len(names) not in (1, 3):
        has = f"{layout.where} has {', '.join(sorted(layout.references))}"
        raise InputError(f"references={list(names)}: one reference is searched, another scores, and {has}; name two")
    return chosen[0], chosen[1]
