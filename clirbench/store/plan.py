"""What a run needs and under which keys: RUN/plan.tsv, written before the run works.

For each system and step the folder of the store and the key that the result is under, `FOLDER/KEY`. Whether it is there
is the store's to say, so `clirbench status RUN` is right for a run that is going on, was killed, or was completed by
another run.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from clirbench.errors import InputError, StoreError
from clirbench.files.run_files import MARKER, is_plain, path_inside
from clirbench.store.whole import write_whole
from clirbench.text import whole_text

PLAN = "plan.tsv"
STORE_LINE = "# store\t"
TRANSLATE = "Translate"
"""The step whose results are shards of translations: their key is a file beside the store."""
COLUMNS = ("system", "step", "part", "key", "failed")


@dataclass(frozen=True)
class Planned:
    """One result that a run needs: whose, of which step, which part of it, and its key in the store.

    Without a key it is a step that was not reached yet, or that could not even be described: `failed` says why.
    """

    system: str
    step: str
    part: str = ""
    key: str = ""
    failed: str = ""


@dataclass(frozen=True)
class Plan:
    """The file RUN/plan.tsv; its first line says where the store is."""

    path: Path
    store: Path

    @classmethod
    def begin(cls, path: Path, store: Path) -> "Plan":
        """A plan with no rows yet, in the place of an earlier one.

        Raises `StoreError` where it cannot be written, or where a file of somebody else has its name in a folder that
        is not marked as ours.
        """
        plan = cls(path, store.absolute())
        if path.exists() and not (path.parent / MARKER).is_file():
            try:
                read_plan(path)
            except InputError as error:
                raise StoreError(f"{error}; nothing is overwritten: choose another folder, hydra.run.dir=DIR") from None
        with _written(path):
            write_whole(path, _as_lines([f"{STORE_LINE}{one_line(str(plan.store))}", "\t".join(COLUMNS)]))
        return plan

    def add(self, rows: Iterable[Planned]) -> None:
        """Add rows; raises `StoreError` where the file cannot be written."""
        with _written(self.path), self.path.open("ab") as file:
            file.write(_as_lines("\t".join(one_line(getattr(row, column)) for column in COLUMNS) for row in rows))


@contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path}: cannot be written ({error.strerror or error})") from error


def _as_lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def read_plan(path: Path) -> tuple[Path, list[Planned]]:
    """Where the store of a plan is, and its rows; raises `InputError` for what is no plan."""
    if not path.exists():
        raise InputError(
            f"{path}: no such file; name the folder of a run (hydra.run.dir). Runs that were moved to previous-N keep "
            "no plan"
        )
    lines = whole_text(path_inside(path.parent, path.name)).split("\n")
    if len(lines) < 2 or not lines[0].startswith(STORE_LINE) or lines[1] != "\t".join(COLUMNS):
        raise InputError(f"{path}: is not a plan written by clirbench")
    rows = []
    # What stands after the last newline is a line that was being written when the run was killed.
    for number, line in enumerate(lines[2:-1], start=3):
        values = line.split("\t")
        if len(values) != len(COLUMNS):
            raise InputError(f"{path}: line {number}: {len(values)} columns, expected {len(COLUMNS)}")
        row = Planned(*values)
        if row.key and not all(map(is_plain, row.key.split("/"))):
            raise InputError(f"{path}: line {number}: {row.key!r} is no key of a result")
        rows.append(row)
    return Path(lines[0].removeprefix(STORE_LINE)), list(dict.fromkeys(rows))


def one_line(text: str) -> str:
    return " ".join(text.replace("\t", " ").split("\n"))
