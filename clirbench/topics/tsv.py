"""Topics in a table: a header with `topic_id` and a column for each field, or two columns `id<TAB>text` without one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clirbench.checks import name_list
from clirbench.errors import InputError
from clirbench.files.tables import read_table
from clirbench.text import TextFile
from clirbench.topics.files import Entry, check_fields, files_signature, fingerprints, topic_files, topics_of
from clirbench.topics.jsonl import ID_KEYS
from clirbench.topics.rewriting import Rewriting
from clirbench.types import Documents, Topic


@dataclass(frozen=True)
class TsvTopics(Rewriting):
    """Topics of tables; `fields` are columns, `weights` as in `TrecTopics`; without a header the text is `title`.

    Raises what `topics_of` raises, and `InputError` naming the line of a row that is too short or too long.
    """

    path: str | Sequence[str] | None = None
    fields: str | Sequence[str] = ("title",)
    weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        check_fields(self._names, self.weights)

    @property
    def signature(self) -> str:
        return self.signed(files_signature("tsv", fingerprints(self.path), self._names, self.weights))

    def topics(self, documents: Documents) -> Sequence[Topic]:
        entries = [entry for path in topic_files(self.path) for entry in read_tsv(path)]
        return self.rewritten(topics_of(entries, self._names, self.weights))

    @property
    def _names(self) -> tuple[str, ...]:
        return name_list("topics.fields", self.fields)


def read_tsv(path: Path) -> Iterator[Entry]:
    """The topics of one file, with or without a header."""
    lines = TextFile(path).lines()
    first = lines[0].removesuffix("\r").split("\t") if lines else []
    if any(name in ID_KEYS for name in first):
        table = read_table(path)
        key = next(name for name in table.header if name in ID_KEYS)
        for number, row in zip(table.numbers, table.records(), strict=True):
            yield Entry(f"{path}: line {number}", row.pop(key).strip(), row)
        return
    for number, line in enumerate(lines, start=1):
        if line.strip():
            cells = line.removesuffix("\r").split("\t")
            if len(cells) != 2:
                raise InputError(
                    f"{path}: line {number}: {len(cells)} columns; without a header (topic_id, ...) a line is "
                    "an id, a tab and the text"
                )
            yield Entry(f"{path}: line {number}", cells[0].strip(), {"title": cells[1]})
