"""Every reader of files, with a sample to start from; a further one is one more line."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from clirbench.corpora.alignment import read_document_map, survey
from clirbench.corpora.jsonl import JsonlText
from clirbench.files.score_formats import score_rows
from clirbench.files.score_tables import ScoreTables
from clirbench.files.tables import read_table, system_column
from clirbench.files.trec import read_qrels, read_run
from clirbench.labs.formats.documents import JsonDocuments, ReadText
from clirbench.labs.formats.europarl import EuroparlDocuments
from clirbench.labs.formats.mtme import read_docs
from clirbench.labs.formats.sgml import read_sgml
from clirbench.labs.formats.trec_documents import TrecDocuments
from clirbench.labs.formats.wmt_xml import read_wmt_xml
from clirbench.labs.papers.author_files import read_author_table
from clirbench.labs.papers.human_scores import read_human
from clirbench.store.plan import read_plan
from clirbench.systems.files import read_metadata
from clirbench.systems.metadata import joined_metadata
from clirbench.text import TextFile
from clirbench.topics.jsonl import JsonlTopics
from clirbench.topics.trec import TrecTopics
from clirbench.topics.tsv import TsvTopics
from clirbench.types import Documents

NONE = Documents.of([])
SCORES = "system\tkind\tBLEU\tMAP\na\tx\t12.5\t.1\nb\ty\t13\t0.25\nc\tz\t1e1\t.5\n"
SGML = """<refset setid="t" srclang="any" trglang="en">
<DOC sysid="ref" docid='a.1' genre="news"><p><seg id="1">One & two &amp;amp; &lt;</seg><SEG id=2> Three
</SEG></p></DOC><doc docid="b"><hl><seg id="1">Five &eacute;</seg></hl></doc></refset>
"""
XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="t"><doc origlang="de" id="d1"><src lang="de"><p><seg id="1">Eins</seg><seg id="2">Zwei</seg></p></src>
<ref lang="en" translator="A"><p><seg id="1">One</seg><seg id="2">Two</seg></p></ref>
<hyp system="S" language="en"><p><seg id="1">Ones</seg><seg id="2">Twos</seg></p></hyp></doc></dataset>
"""
TOPIC = "<top>\n<num> Number: 051\n<title> Topic:  Airbus\n Subsidies\n<desc> Description:\nHelp for\nAirbus.\n</top>\n"
TREC = "<DOC>\n<DOCNO> a </DOCNO>\n<TEXT>\nOne\n</TEXT>\n</DOC>\n"
EUROPARL = '<CHAPTER ID=1>\nResumption\n<SPEAKER ID=1 NAME="President">\nI declare\n<P>\nthe session\n'


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
    Reader("human.tsv", "system\tline\tscore\na\t1\t.5\na\t2\t70\nb\t1\t3\n", lambda p: read_human(p, ["a", "b"], 2)),
    Reader("a.run", "1 Q0 d1 1 2.5 x\n1 Q0 d2 2 .5 x\n2 Q0 d1 1 7e1 x\n", read_run),
    Reader("qrels.txt", "1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n", read_qrels),
    Reader("docs.tsv", "line\tdoc_id\n1\ta\n2\ta\n3\tb\n", lambda path: read_document_map(path, 3, "text")),
    Reader("docs.jsonl", '{"doc_id": "a", "text": "One."}\n{"id": 7, "contents": "T"}\n', json_ids),
    Reader("news.jsonl", '{"id": "a", "title": "T", "text": "x"}\n', lambda p: ReadText(p, JsonDocuments()).doc_ids()),
    Reader("docs.trec", TREC, lambda path: ReadText(path, TrecDocuments()).doc_ids()),
    Reader("europarl.txt", EUROPARL, lambda path: ReadText(path, EuroparlDocuments()).doc_ids()),
    Reader("mtme.docs", "news\td1\nnews\td1\nnews\td2\n", read_docs),
    Reader("side.sgm", SGML, read_sgml),
    Reader("wmt.xml", XML, read_wmt_xml),
    Reader("topics.trec", TOPIC, lambda path: TrecTopics(str(path)).topics(NONE)),
    Reader("topics.tsv", "topic_id\ttitle\n1\tred fish\n2\tblue fish\n", lambda p: TsvTopics(str(p)).topics(NONE)),
    Reader("topics.jsonl", '{"topic_id": "1", "title": "fish"}\n', lambda path: JsonlTopics(str(path)).topics(NONE)),
    Reader("bleu.json", '{"name": "BLEU", "score": 27.5, "signature": "x"}\n', any_scores),
    Reader("comet.out", "a.txt\tSegment 0\tscore: 0.5000\na.txt\tscore: 0.5000\n", any_scores),
    Reader("comet.json", '{"a.txt": [{"src": "s", "mt": "m", "COMET": 0.5}]}\n', any_scores),
    Reader("metricx.jsonl", '{"system_id": "a", "segment_id": 0, "prediction": 1.5}\n', any_scores),
    Reader("seg.csv", "system,segment,x\na,1,.5\na,2,3\n", any_scores),
    Reader("seg.scores", "BLEU\tde-en\tt\tS\t1\t.5\nBLEU\tde-en\tt\tS\t2\t.7\n", any_scores),
    Reader("authors.tsv", "x\ty\n1\t2\n3\t4\n", read_author_table),
    Reader("plan.tsv", "", read_plan),
)  # fmt: skip
