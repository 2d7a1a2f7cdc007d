"""Every reader of files of the core: a sample to start from, what it refuses and how it says so, and what would make it
slow; those of a laboratory are in its `readers.py`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from clirbench.corpora.jsonl import JsonlText
from clirbench.corpora.sides import read_document_map, survey
from clirbench.files.score_tables import ScoreTables, score_rows
from clirbench.files.tables import read_table, system_column
from clirbench.files.trec import read_qrels, read_run
from clirbench.store.cached import read_plan
from clirbench.systems.metadata import joined_metadata, read_metadata
from clirbench.text import TextFile
from clirbench.topics.files import JsonlTopics, TrecTopics, TsvTopics
from clirbench.types import Documents

NONE = Documents.of([])
SCORES = "system\tkind\tBLEU\tMAP\na\tx\t12.5\t.1\nb\ty\t13\t0.25\nc\tz\t1e1\t.5\n"
TOPIC = "<top>\n<num> Number: 051\n<title> Topic:  Airbus\n Subsidies\n<desc> Description:\nHelp for\nAirbus.\n</top>\n"
RUN = "1 Q0 a 1 2.0 x\n"
BEIR = "query-id corpus-id score\n"
NAMES = ("a\x00", "\x1b[31m", "\x9b0m", "\u202eabc", "x" * 1001)
"""What is no name of anything."""
NO_NAME = r"line \d: \w+ .*holds a control character, is not UTF-8, or has more than 1000 characters; rename it"
Messages = Sequence[tuple[str | bytes, str]]


@dataclass(frozen=True)
class Reader:
    """What reads a file called `name`, and a sample of what it reads.

    `refused`: contents, and a pattern of the message that each ends in. `hostile`: pieces that are repeated half a
    million times, after each of `before` and in front of each of `after`.
    """

    name: str
    sample: str
    read: Callable[[Path], object]
    refused: Messages = ()
    hostile: Sequence[str] = ()
    before: Sequence[str] = ("",)
    after: Sequence[str] = ("",)


def named_systems(path: Path) -> None:
    table = read_table(path)
    table.unique(system_column(table))


def documents_of(lines: str) -> str:
    return "line\tdoc_id\n" + "".join(f"{pair[0]}\t{pair[1:]}\n" for pair in lines.split())


def any_scores(path: Path) -> object:
    return list(score_rows(path))


READERS = (
    Reader(
        "lines.txt", "One.\nTwo.\n\nThree\n", lambda path: (survey(TextFile(path)), TextFile(path).lines()),
        [(b"one\ntw\xff\n", r"lines\.txt: line 2, byte 3: 0xff is not valid UTF-8"),
         (b"caf\xe9\n", "convert it: iconv -f LATIN1"), (b"caf\xe9 \x92\n", "convert it: iconv -f CP1252"),
         (b"\xff\xfec\0", "iconv -f UTF-16"), (b"\xd0\xcf\x11\xe0", "is an Excel file; save it as CSV"),
         (b"PK\x03\x04\xff xl/", "is an Excel file; save it"), (b"PK\x03\x04\xff a", "is a zip archive; unpack it"),
         (b"\x1f\x8b\x08broken", r"gzip file is damaged or truncated.*; copy it again$")],
    ),
    Reader(
        "table.tsv", SCORES, named_systems,
        [("", r"table\.tsv: is empty, a header line was expected"), ("# only\n", "is empty"),
         ("a\tb\n1\n", "line 2: 1 columns, the header has 2"), ("a\ta\n", "line 1: columns stand twice: a"),
         ("system\tx\na\t1\na\t2\n", r"line 3: system 'a' stands on line 2 already"),
         ("system\tx\n\t1\n", r"line 2: column 'system' is empty"),
         ("x\ty\n1\t2\n", r"no column system or name; columns: x, y"),
         *((f"system\t{name}\na\t1\n", NO_NAME) for name in NAMES),
         *((f"system\tBLEU\n{name}\t1\n", NO_NAME) for name in NAMES)],
    ),
    Reader(
        "table.csv", 'system,x\n"a, b",1\nc,2\n', read_table,
        [('a,b\n"x\n', "line 2: not a comma-separated table"), ('a,b\n"x"y,1\n', "line 2: not a comma-separated")],
    ),
    Reader("scores.tsv", SCORES, lambda path: ScoreTables(str(path), "MAP").read()),
    Reader("systems.tsv", SCORES, read_metadata),
    Reader("systems.csv", "run,step\nr1,5\nr2,7\n", lambda path: joined_metadata(str(path), {"s": {"run": "r1"}})),
    Reader(
        "a.run", "1 Q0 d1 1 2.5 x\n1 Q0 d2 2 .5 x\n2 Q0 d1 1 7e1 x\n", read_run,
        [("", r"a\.run: the run file is empty"),
         (RUN + "1 Q0 a 2 1.0 x\n", r"a\.run: line 2: document 'a' is ranked twice for topic '1'"),
         *((f"{RUN}1 Q0 b 2 {s} x\n", rf"line 2: score '{s}' is not a finite") for s in ("nan", "-inf", "1e39", "1_0")),
         (RUN + "1 Q0 b 2 x\n", r"a\.run: line 2: 5 fields between spaces or TABs, expected 6: topic Q0 doc_id rank"),
         (RUN + "\n1 Q0 b c 2 1 x\n", r"a\.run: line 3: 7 fields between spaces or TABs, expected 6"),
         (RUN.encode() + b"1 Q0 b\xff 2 1.0 x\n", r"a\.run: line 2, byte 7: 0xff is not valid UTF-8"),
         *((f"{name} Q0 d 1 2 x\n", NO_NAME) for name in NAMES), *((f"1 Q0 {n} 1 2 x\n", NO_NAME) for n in NAMES)],
    ),
    Reader(
        "qrels.txt", "1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n", read_qrels,
        [("\n", r"qrels\.txt: the qrels file is empty"), (BEIR, r"the qrels file is empty"),
         ("1 0 a 1\n1 0 b -1.5\n", r"qrels\.txt: line 2: grade '-1\.5' is not a whole number"),
         (BEIR + "1 0 a 1\n", r"line 2: 4 fields between spaces or TABs, expected 3: query-id corpus-id score"),
         ("1 0 a 1\n2 0 a 1\n1 0 a 0\n", r"line 3: document 'a' of topic '1' is judged again \(first in line 1\)"),
         ("1 0 a\n", r"line 1: 3 fields between spaces or TABs, expected 4: topic iteration doc_id grade"),
         *((f"{name} 0 d 1\n", NO_NAME) for name in NAMES), *((f"1 0 {name} 1\n", NO_NAME) for name in NAMES)],
    ),
    Reader(
        "docs.tsv", "line\tdoc_id\n1\ta\n2\ta\n3\tb\n", lambda path: read_document_map(path, 3, "text"),
        [("doc_id\nx\n", r"docs\.tsv: no column line .a TAB, .*; columns: doc_id"), ("", r"docs\.tsv: is empty"),
         (documents_of("1a"), r"docs\.tsv: each of the 3 lines of text must be listed once; it misses 2, 3"),
         (documents_of("1a 2a 2b 3b"), r"docs\.tsv: .* once; it repeats 2$"),
         (documents_of("1a 2b 3a"), r"the lines of a document must be contiguous: a comes back on line 3"),
         (documents_of("1a 2a 3a 5a"), r"once; it names beyond the text 5"),
         (documents_of("1a xa"), r"docs\.tsv: line 3: 'x' is not a line number"),
         ("line\tdoc_id\n1\ta b\n", r"line 2: doc_id 'a b' is empty or holds white space"),
         ("line\tdoc_id\n1\n", r"docs\.tsv: line 2: 1 columns, the header has 2")],
    ),
    Reader(
        "docs.jsonl", '{"doc_id": "a", "text": "One."}\n{"id": 7, "contents": "T"}\n',
        lambda path: JsonlText(path).doc_ids(),
        [('{"text": "x"}\n', "line 1: no doc_id"),
         ('{"doc_id": "a b", "text": "x"}\n', "line 1: doc_id 'a b' holds white space"),
         ('{"doc_id": "a"}\n', r"line 1: no text \(a string\); keys here: doc_id"),
         ('{"doc_id": "a", "text": 3}\n', "line 1: no text"),
         ('{"doc_id": "a", "text": ""}\n' * 2, "line 2: doc_id 'a' stands on line 1 already"),
         ("{\n", "line 1: not JSON"), ("[1]\n", "line 1: a JSON object was expected, found list"),
         ("[" * 100_000 + "\n", r"line 1: more than 100 lists and objects within each other; limits\.json_depth=N"),
         (b'{"doc_id": "\xff"}\n', r"line 1, byte 13: 0xff")],
        ["[", "{", '{"a":', '[["', '"', "\\", '"\\', "{}", "[]", "\n"],
    ),
    Reader(
        "topics.trec", TOPIC, lambda path: TrecTopics(str(path)).topics(NONE),
        [("", r"topics\.trec: no <top> in this file"), ("hello\n", "no <top> in this file"),
         (TOPIC + TOPIC, r"line 10: topic 51 is already at .*line 2"),
         ("<top>\n<title> x\n</top>\n", "line 2: a topic without <num>"), ("<top>\n</top>\n", "a topic without <num>"),
         (TOPIC + "<top>\n<num> Number: 7\n<title> Topic:\n</top>\n", "topic 7 has no text in title"),
         ("<top>\n<num> 1 2\n<title> x\n</top>\n", "topic id '1 2' is empty or holds white space"),
         (b"<top>\n<num> 1\n<title> \xe9\n</top>\n", r"topics\.trec: line 3, byte 9: 0xe9 is not valid UTF-8")],
        ["<top>", "<top>\n", "</top>\n", "<num>", "<top>\n<num> 1\n<title> x\n", "<title>", "</a", "Topic ", "\n"],
        ("", "<top>\n<num> 1\n<title> x\n<desc> "),
    ),
    Reader(
        "topics.tsv", "topic_id\ttitle\n1\tred fish\n2\tblue fish\n", lambda path: TsvTopics(str(path)).topics(NONE),
        [("", "no topics"), ("1\ta\n1\tb\n", "line 2: topic 1 is already at .*line 1"),
         ("1\ta\n2\t \n", "line 2: topic 2 has no text in title"),
         ("1 a\n", "line 1: 1 columns, without a header they are topic_id, title"),
         ("topic_id\ttitle\n1\n", "line 2: 1 columns, the header has 2")],
    ),
    Reader(
        "topics.jsonl", '{"topic_id": "1", "title": "fish"}\n', lambda path: JsonlTopics(str(path)).topics(NONE),
        [("", "no topics in the topic files"), ('{"title": "a"}\n', "line 1: no topic_id"),
         ('{"topic_id": true, "title": "a"}\n', "line 1: no topic_id"), ('\n{"topic_id": 1', "line 2: not JSON"),
         ('{"topic_id": 1, "title": "a"}\n{"topic_id": "1", "title": "b"}\n', "line 2: topic 1 is already"),
         ('{"topic_id": 2, "title": " "}\n', "topic 2 has no text in title"),
         ('{"topic_id": 1, "topics": [{"lang": "zho"}]}\n', "no text in the language 'eng'"),
         (b'{"topic_id": 1, "title": "a"}\n{"topic_id": "\xff"}\n', "line 2, byte 15: 0xff")],
    ),
    Reader(
        "bleu.json", '{"name": "BLEU", "score": 27.5, "signature": "x"}\n', any_scores,
        [("", r"bleu\.json: is empty; scores were expected"),
         ("the first line\nof a text\n", "line 1: 'the first line' begins no known file of scores"),
         ("a\tb\tc\n", r"line 1: 'a\\tb\\tc' begins no known file of scores"), ("a 1 2 3\n", "begins no known file"),
         ("[1, 2, 3]", "line 1: no number under prediction, score or COMET"), ("[" * 50, "not JSON"),
         ("[" * 200_000, r"more than 100 lists and objects within each other; limits\.json_depth=N")],
    ),
    Reader("comet.json", '{"a.txt": [{"src": "s", "mt": "m", "COMET": 0.5}]}\n', any_scores),
    Reader(
        "metricx.jsonl", '{"system_id": "a", "segment_id": 0, "prediction": 1.5}\n', any_scores,
        [('{"score": 1}\n\n{"x": 1}\n', "line 3: no number under prediction, score or COMET; keys: x")],
    ),
    Reader("seg.csv", "system,segment,x\na,1,.5\na,2,3\n", any_scores),
    Reader("plan.tsv", "", read_plan),
)  # fmt: skip
