"""Topics in a table: a header with `topic_id` and a column for each field, or two columns `id<TAB>text` without one."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from clirbench.errors import InputError
from clirbench.files.tables import read_table
from clirbench.text import TextFile
from clirbench.topics.files import RawTopic, TopicFiles
from clirbench.topics.jsonl import ID_KEYS


@dataclass(frozen=True)
class TsvTopics(TopicFiles):
    """Topics of tables; `fields` are columns, `weights` as in `TrecTopics`; without a header the text is `title`.

    Raises what `topics_of` raises, and `InputError` naming the line of a row that is too short or too long.
    """

    @property
    def kind(self) -> str:
        return "tsv"

    def read(self, path: Path) -> Iterator[RawTopic]:
        lines = TextFile(path).lines()
        first = lines[0].removesuffix("\r").split("\t") if lines else []
        if any(name in ID_KEYS for name in first):
            table = read_table(path)
            key = next(name for name in table.header if name in ID_KEYS)
            for number, row in zip(table.numbers, table.records(), strict=True):
                yield RawTopic(f"{path}: line {number}", row.pop(key).strip(), row)
            return
        for number, line in enumerate(lines, start=1):
            if line.strip():
                cells = line.removesuffix("\r").split("\t")
                if len(cells) != 2:
                    raise InputError(
                        f"{path}: line {number}: {len(cells)} columns; without a header (topic_id, ...) a line is "
                        "an id, a tab and the text"
                    )
                yield RawTopic(f"{path}: line {number}", cells[0].strip(), {"title": cells[1]})
