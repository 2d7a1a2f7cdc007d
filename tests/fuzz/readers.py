"""Every reader of files of the core, with a sample to start from; those of a laboratory are in its `readers.py`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from clirbench.corpora.alignment import read_document_map, survey
from clirbench.corpora.jsonl import JsonlText
from clirbench.files.score_formats import score_rows
from clirbench.files.score_tables import ScoreTables
from clirbench.files.tables import read_table, system_column
from clirbench.files.trec import read_qrels, read_run
from clirbench.store.plan import read_plan
from clirbench.systems.metadata import joined_metadata, read_metadata
from clirbench.text import TextFile
from clirbench.topics.jsonl import JsonlTopics
from clirbench.topics.trec import TrecTopics
from clirbench.topics.tsv import TsvTopics
from clirbench.types import Documents

NONE = Documents.of([])
SCORES = "system\tkind\tBLEU\tMAP\na\tx\t12.5\t.1\nb\ty\t13\t0.25\nc\tz\t1e1\t.5\n"
TOPIC = "<top>\n<num> Number: 051\n<title> Topic:  Airbus\n Subsidies\n<desc> Description:\nHelp for\nAirbus.\n</top>\n"


@dataclass(frozen=True)
class Reader:
    """What reads a file called `name`, and a sample of what it reads."""

    name: str
    sample: str
    read: Callable[[Path], object]


def named_systems(path: Path) -> None:
    table = read_table(path)
    table.unique(system_column(table))


def json_ids(path: Path) -> object:
    return JsonlText(path).doc_ids()


def any_scores(path: Path) -> object:
    return list(score_rows(path))


READERS = (
    Reader("lines.txt", "One.\nTwo.\n\nThree\n", lambda path: (survey(TextFile(path)), TextFile(path).lines())),
    Reader("table.tsv", SCORES, named_systems),
    Reader("table.csv", 'system,x\n"a, b",1\nc,2\n', read_table),
    Reader("scores.tsv", SCORES, lambda path: ScoreTables(str(path), "MAP").read()),
    Reader("systems.tsv", SCORES, read_metadata),
    Reader("systems.csv", "run,step\nr1,5\nr2,7\n", lambda path: joined_metadata(str(path), {"s": {"run": "r1"}})),
    Reader("a.run", "1 Q0 d1 1 2.5 x\n1 Q0 d2 2 .5 x\n2 Q0 d1 1 7e1 x\n", read_run),
    Reader("qrels.txt", "1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n", read_qrels),
    Reader("docs.tsv", "line\tdoc_id\n1\ta\n2\ta\n3\tb\n", lambda path: read_document_map(path, 3, "text")),
    Reader("docs.jsonl", '{"doc_id": "a", "text": "One."}\n{"id": 7, "contents": "T"}\n', json_ids),
    Reader("topics.trec", TOPIC, lambda path: TrecTopics(str(path)).topics(NONE)),
    Reader("topics.tsv", "topic_id\ttitle\n1\tred fish\n2\tblue fish\n", lambda p: TsvTopics(str(p)).topics(NONE)),
    Reader("topics.jsonl", '{"topic_id": "1", "title": "fish"}\n', lambda path: JsonlTopics(str(path)).topics(NONE)),
    Reader("bleu.json", '{"name": "BLEU", "score": 27.5, "signature": "x"}\n', any_scores),
    Reader("comet.out", "a.txt\tSegment 0\tscore: 0.5000\na.txt\tscore: 0.5000\n", any_scores),
    Reader("comet.json", '{"a.txt": [{"src": "s", "mt": "m", "COMET": 0.5}]}\n', any_scores),
    Reader("metricx.jsonl", '{"system_id": "a", "segment_id": 0, "prediction": 1.5}\n', any_scores),
    Reader("seg.csv", "system,segment,x\na,1,.5\na,2,3\n", any_scores),
    Reader("seg.scores", "BLEU\tde-en\tt\tS\t1\t.5\nBLEU\tde-en\tt\tS\t2\t.7\n", any_scores),
    Reader("plan.tsv", "", read_plan),
)  # fmt: skip
