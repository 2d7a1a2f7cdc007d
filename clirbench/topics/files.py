"""Topics from files: TREC's mark-up, JSON lines, tables.

    {"topic_id": "7", "title": "...", "description": "..."}     JSON lines
    topic_id<TAB>title<TAB>description                          a table; or two columns id<TAB>text without a header
    <top> <num> Number: 701 <title> ... <desc> Description: ... <narr> Narrative: ... </top>

Keys of other collections are understood: `id`, `qid` or `_id` (BEIR) for the id, `topic_title` for `title`, and a
list `topics` with one entry for each language (HC4, Patapsco), of which the original in the language asked for is
read. TREC's tags are at the start of a line and are rarely closed. Topics 51-200 write a label before the text
(`Topic:`, `Domain:`, `Concept(s):`), 701-850 do so for the description and the narrative but not for the title.
"""

import glob
import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clirbench.checks import name_list
from clirbench.errors import ClirbenchError, ConfigError, InputError, UnknownName, gathered, raise_all
from clirbench.files.kinds import IDS, refuse
from clirbench.files.tables import first_of, json_lines, read_table
from clirbench.text import TextFile, check_name, did_you_mean, whole_text
from clirbench.types import Documents, Topic

SHOWN = 5
"""Errors after which no further topic is checked."""


@dataclass(frozen=True)
class RawTopic:
    """One topic as its file has it: file and line, its id, and the text of each of its fields."""

    where: str
    topic_id: str
    fields: Mapping[str, str]


def topic_files(path: str | Sequence[str] | None) -> tuple[Path, ...]:
    """The files of `topics.path`: one file, several, or patterns; raises `InputError` for those that are missing."""
    if not path:
        raise ConfigError("topics.path is not set: name the topic file, topics.path=FILE")
    errors: list[ClirbenchError] = []
    files: list[Path] = []
    for name in name_list("topics.path", path):
        name = str(Path(name).expanduser())
        matches = [name] if Path(name).is_file() else sorted(glob.glob(name))  # noqa: PTH207 - a pattern may be absolute
        if not matches:
            errors.append(InputError(f"{name}: no such topic file{did_you_mean(Path(name))}"))
        files += [Path(match) for match in matches]
    raise_all(errors)
    return tuple(files)


@dataclass(frozen=True)
class TopicFiles(ABC):
    """What the readers of topic files share; each says how it reads one file. `path`: a file, several, or a pattern.

    The texts of `fields` together are searched; a missing field is ignored while the topic has text in another.
    `topics` raises `InputError` for no topics, an id that is empty, holds white space or occurs twice, and a topic
    without text; `UnknownName` for a field that no topic has; all at once as `Problems`.
    """

    path: str | Sequence[str] | None = None
    fields: str | Sequence[str] = ("title",)

    def __post_init__(self) -> None:
        if not self.names:
            raise ConfigError("topics.fields is empty: name a field, e.g. topics.fields=[title]")

    @property
    @abstractmethod
    def kind(self) -> str:
        """The format, as the signature names it."""

    @abstractmethod
    def read(self, path: Path) -> Iterator[RawTopic]:
        """The topics of one file."""

    @property
    def names(self) -> tuple[str, ...]:
        """The fields as the files name them."""
        return name_list("topics.fields", self.fields)

    @property
    def signature(self) -> str:
        contents = "".join(TextFile(file).fingerprint for file in topic_files(self.path))
        return f"{self.kind}:{'+'.join(self.names)}|sha256:{hashlib.sha256(contents.encode()).hexdigest()[:12]}"

    def topics(self, documents: Documents) -> Sequence[Topic]:
        try:
            held = [entry for path in topic_files(self.path) for entry in self.read(path)]
        except InputError as error:
            for path in topic_files(self.path):
                refuse(path, self.kind.partition(".")[0])
                if not {*"<\t{,"} & {*next(filter(str.strip, TextFile(path).lines()), "<")}:
                    made = f"if each line is a query, type nl -w1 -ba {path} > new.tsv, then topics=tsv"
                    raise InputError(f"{error}; {made} topics.path=new.tsv") from None
            raise
        if not held:
            raise InputError("no topics in the topic files")
        known = {name for entry in held for name in entry.fields}
        errors: list[ClirbenchError] = []
        meant = f"topics.fields=[{min(known)}]" if len(known) == 1 else ""
        errors += [UnknownName("name in topics.fields", one, known, meant) for one in self.names if one not in known]
        raise_all(errors)
        first: dict[str, str] = {}
        topics: list[Topic] = []
        for entry in held:
            if len(errors) >= SHOWN:
                break
            texts = filter(None, (" ".join(entry.fields.get(field, "").split()) for field in self.names))
            topics.append(Topic(entry.topic_id, tuple((text, 1.0) for text in texts)))
            if len(entry.topic_id.split()) != 1:
                errors.append(InputError(f"{entry.where}: topic id {entry.topic_id!r} is empty or holds white space"))
            elif entry.topic_id in first:
                where = first[entry.topic_id]
                errors.append(InputError(f"{entry.where}: topic {entry.topic_id} is already at {where}"))
            elif not topics[-1].parts:
                listed = ", ".join(self.names)
                errors.append(InputError(f"{entry.where}: topic {entry.topic_id} has no text in {listed}"))
            with gathered(errors):
                check_name(entry.where, "topic", entry.topic_id)
            first.setdefault(entry.topic_id, entry.where)
        raise_all(errors)
        return tuple(topics)


@dataclass(frozen=True)
class JsonlTopics(TopicFiles):
    """Topics of JSON-lines files; `fields` are keys, `language` as in `lang` of a list.

    Raises what `TopicFiles` raises, and `InputError` naming the line of a topic that is no object or has no id.
    """

    language: str = "eng"

    @property
    def kind(self) -> str:
        return f"jsonl.{self.language}"

    def read(self, path: Path) -> Iterator[RawTopic]:
        for number, record in json_lines(path):
            where = f"{path}: line {number}"
            topic_id = first_of(record, IDS)
            if isinstance(topic_id, bool) or not isinstance(topic_id, str | int):
                raise InputError(f"{where}: no topic_id; a line is an object with topic_id and text fields")
            yield RawTopic(where, str(topic_id), _texts(record, self.language, where))


def _texts(record: Mapping[str, Any], language: str, where: str) -> dict[str, str]:
    """The fields: every key whose value is a string."""
    listed = record.get("topics")
    if isinstance(listed, list):
        ours = [entry for entry in listed if isinstance(entry, dict) and entry.get("lang") == language]
        if not ours:
            raise InputError(f"{where}: no text in the language {language!r}; set topics.language")
        record = next((entry for entry in ours if entry.get("source") == "original"), ours[0])
    return {k.removeprefix("topic_"): v for k, v in record.items() if isinstance(v, str) and k not in IDS}


@dataclass(frozen=True)
class TsvTopics(TopicFiles):
    """Topics of tables; `fields` are columns; without a header the text is `title`.

    Raises what `TopicFiles` raises, and `InputError` naming the line of a row that is too short or too long.
    """

    kind = "tsv"

    def read(self, path: Path) -> Iterator[RawTopic]:
        first = next(TextFile(path).blocks(), b"").partition(b"\n")[0].decode("utf-8", "replace").removesuffix("\r")
        table = read_table(path, () if set(first.split("\t")) & set(IDS) else ("topic_id", "title"))
        key = next(name for name in table.header if name in IDS)
        for number, row in zip(table.numbers, table.records(), strict=True):
            yield RawTopic(f"{path}: line {number}", row.pop(key).strip(), row)


NAMES = {
    "desc": "description", "narr": "narrative", "smry": "summary", "dom": "domain", "con": "concepts", "fac": "factors",
    "def": "definitions", "nat": "nationality",
}  # fmt: skip
LABELS = {"number", "topic", "time", *(name.removesuffix("s") for name in NAMES.values())}
"""What some years write before the text of a field; `Concept:`, `Concepts:`, `Concept(s):`."""
_TAG = re.compile(r"^[^\S\n]*<(/top|[a-z]+)>", re.IGNORECASE | re.MULTILINE)
_CLOSED = re.compile(r"</[A-Za-z]+>")


@dataclass(frozen=True)
class TrecTopics(TopicFiles):
    """Topics of TREC files.

    `path` is a file, several, or a pattern; `fields` are `title`, `description` (`desc`), `narrative` (`narr`) or
    any other tag. A number of digits loses its leading zeros (051 is topic 51 in the judgments). Raises what
    `TopicFiles` raises, `InputError` for a file without <top>.
    """

    kind = "trec"

    def read(self, path: Path) -> Iterator[RawTopic]:
        before, *pieces = _TAG.split("\n" + whole_text(path))
        line, inside = before.count("\n"), False
        entries: list[tuple[int, dict[str, list[str]]]] = []
        for name, piece in zip(map(str.lower, pieces[::2]), pieces[1::2], strict=True):
            if name in ("top", "/top"):
                inside = name == "top"
                entries += [(line + 1, {})] if inside else []
            elif inside:
                entries[-1][1].setdefault(NAMES.get(name, name), []).append(piece)
            line += piece.count("\n")
        if not entries:
            said = f"{path}: no <top> in this file; TREC topics were expected:"
            raise InputError(f"{said} topics=tsv reads an id, a TAB and a text a line, topics=jsonl JSON lines")
        for line, parts in entries:
            texts = {name: _CLOSED.sub(" ", "\n".join(held)) for name, held in parts.items()}
            for name, text in texts.items():
                label, colon, rest = text.partition(":")
                if colon and label.strip().lower().removesuffix("(s)").removesuffix("s") in LABELS:
                    texts[name] = rest
            if "num" not in texts:
                raise InputError(f"{path}: line {line}: a topic without <num>")
            topic_id = " ".join(texts.pop("num").split())
            if topic_id.isascii() and topic_id.isdigit():
                topic_id = topic_id.lstrip("0") or "0"
            yield RawTopic(f"{path}: line {line}", topic_id, texts)

    @property
    def names(self) -> tuple[str, ...]:
        """The fields by their long names (`desc` is `description`)."""
        return tuple(NAMES.get(field, field) for field in super().names)
