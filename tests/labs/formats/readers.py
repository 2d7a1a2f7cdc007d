"""The readers of the laboratory, for the fuzzer."""

from clirbench.labs.formats.documents import JsonDocuments, ReadText
from clirbench.labs.formats.europarl import EuroparlDocuments
from clirbench.labs.formats.mtme import read_docs
from clirbench.labs.formats.sgml import read_sgml
from clirbench.labs.formats.trec_documents import TrecDocuments
from clirbench.labs.formats.wmt_xml import read_wmt_xml
from tests.fuzz.readers import Reader

SGML = """<refset setid="t" srclang="any" trglang="en">
<DOC sysid="ref" docid='a.1' genre="news"><p><seg id="1">One & two &amp;amp; &lt;</seg><SEG id=2> Three
</SEG></p></DOC><doc docid="b"><hl><seg id="1">Five &eacute;</seg></hl></doc></refset>
"""
XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="t"><doc origlang="de" id="d1"><src lang="de"><p><seg id="1">Eins</seg><seg id="2">Zwei</seg></p></src>
<ref lang="en" translator="A"><p><seg id="1">One</seg><seg id="2">Two</seg></p></ref>
<hyp system="S" language="en"><p><seg id="1">Ones</seg><seg id="2">Twos</seg></p></hyp></doc></dataset>
"""
TREC = "<DOC>\n<DOCNO> a </DOCNO>\n<TEXT>\nOne\n</TEXT>\n</DOC>\n"
EUROPARL = '<CHAPTER ID=1>\nResumption\n<SPEAKER ID=1 NAME="President">\nI declare\n<P>\nthe session\n'


READERS = (
    Reader("news.jsonl", '{"id": "a", "title": "T", "text": "x"}\n', lambda p: ReadText(p, JsonDocuments()).doc_ids()),
    Reader("docs.trec", TREC, lambda path: ReadText(path, TrecDocuments()).doc_ids()),
    Reader("europarl.txt", EUROPARL, lambda path: ReadText(path, EuroparlDocuments()).doc_ids()),
    Reader("mtme.docs", "news\td1\nnews\td1\nnews\td2\n", read_docs),
    Reader("side.sgm", SGML, read_sgml),
    Reader("wmt.xml", XML, read_wmt_xml),
)  # fmt: skip
