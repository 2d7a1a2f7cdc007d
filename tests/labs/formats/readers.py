"""The readers of the laboratory, for the fuzzer: samples, what they refuse and how they say so, what would be slow."""

from pathlib import Path

from clirbench.labs.formats.documents import EuroparlDocuments, JsonDocuments, ReadText
from clirbench.labs.formats.mtme import read_docs
from clirbench.labs.formats.wmt import WmtXmlCorpus, read_sides
from clirbench.labs.formats.wmt_jsonl import WmtJsonlCorpus
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
EUROPARL = '<CHAPTER ID=1>\nResumption\n<SPEAKER ID=1 NAME="President">\nI declare\n<P>\nthe session\n'


def as_corpus(path: Path) -> object:
    read_sides(path)
    return WmtXmlCorpus(path).read()


READERS = (
    Reader(
        "news.jsonl", '{"id": "a", "title": "T", "text": "x"}\n', lambda p: ReadText(p, JsonDocuments()).doc_ids(),
        [('{"id": 1, "title": "A"}\n', r"line 1: none of the fields text; keys: id, title"),
         ('{"text": "x"}', "line 1: no doc_id")],
    ),
    Reader(
        "europarl.txt", EUROPARL, lambda path: list(EuroparlDocuments().documents(path)),
        [("One\n<html>\n", r"europarl\.txt: line 2: '<html>' is no mark-up of Europarl")],
        ["(", "<", ">", "a", "<P>", "<P\n", "<BRK>", "<CHAPTER ID=1>\n", "<SPEAKER ID=1>\n", "\n"],
        ("", "<", "(", "<P", "<CHAPTER ID="),
    ),
    Reader(
        "wmt.jsonl", '{"doc_id": "a-b_#_n_#_1", "refs": {"A": "x"}}\n', lambda path: WmtJsonlCorpus(path).read(),
        [('{"doc_id": 1}', r"wmt\.jsonl: line 1: key doc_id: a text was expected, found int")],
    ),
    Reader("mtme.docs", "news\td1\nnews\td1\nnews\td2\n", read_docs),
    Reader(
        "side.sgm", SGML, lambda path: read_sides(path, ("reference", "A")),
        [("", r"side\.sgm: no <seg> in it"), ("<doc>", r"side\.sgm: line 1: <doc> has no attribute docid or id"),
         ("<p>\n<seg id=1>x</seg>", "line 2: <seg> stands outside a document"),
         ("<doc docid=a>\n<seg>x</seg>", "line 2: <seg> has no attribute id"),
         ("<doc docid=a><seg id=1>x</seg>\n<seg id=1>x</seg>", "line 2: segment 1 of document 'a' stands twice"),
         ("<doc docid=a>\n<seg id=1>x\n<seg id=2>", "line 2: <seg> is not closed"),
         ("<doc docid=a>\n<seg id=1>x", "<seg> is not closed at the end"),
         ("\n</seg>", "line 2: </seg> closes no segment"),
         (b"<doc docid=a>\n\xe9", r"side\.sgm: line 2, byte 1: 0xe9 is not valid UTF-8")],
        ["<", "<seg ", "<seg id=", '<seg id="', "<seg>", "</seg>", "<doc ", "a", "a=", "a ", "a= ", "a='", 'a="', ">",
         "&amp;"],
        ("", '<doc docid="a" ', '<doc docid="a"><seg id="1">x</seg>', '<doc docid="a"><seg id="'),
    ),
    Reader(
        "wmt.xml", XML, as_corpus,
        [("<doc>", r"wmt\.xml: line 1: <doc> has no attribute docid or id"),
         ("<doc id='a'>\n<seg id='1'>x</seg></doc>", "line 2: <seg> stands outside src, ref and hyp"),
         ("<src><seg id='1'/></src>", "line 1: <seg> stands outside a document"),
         ("<doc id='a'><hyp/></doc>", "line 1: <hyp> has no attribute system"),
         ("<doc id='a'><ref><seg>x</seg></ref></doc>", "line 1: <seg> has no attribute id"),
         ("<doc id='a'><ref><seg id='1'>x</seg>\n<seg id='1'>y</seg></ref></doc>",
          "line 2: segment 1 of document 'a' stands twice in reference A"),
         ("<doc id='a'><ref>\n</doc>", "line 2: <ref> is not closed"),
         ("<doc id='a'><ref>", "<ref> is not closed at the end"),
         ("<doc id='a'><ref><seg id='1'>a<b>c</b></seg></ref></doc>", "line 1: mark-up within a segment"),
         ("<doc id='a'><ref><seg id='1'><![CDATA[x]]></seg></ref></doc>", "line 1: <!.CDATA. is not read"),
         ("", "no <seg> in it"), ("<dataset/>", "no <seg> in it"),
         ("<doc id='a'><src><seg id='1'>x</seg></src></doc>", "no reference in it"),
         ("<doc id='a b'><ref><seg id='1'>x</seg></ref></doc>", "doc_id 'a b' is empty or holds white space"),
         ("<!DOCTYPE d [<!ENTITY e 'x'>]>\n<d/>", "no <seg> in it"),
         (f"<d>{''.join(f'<doc id={d!r}><ref><seg id={d!r}>x</seg></ref></doc>' for d in ('a', 'b'))}"
          + "<doc id='a'><ref><seg id='2'>x</seg></ref></doc></d>",
          "the lines of a document must be contiguous: a comes back on line")],
        ["<a>", "&amp;", "<a/>", "\n", "x"], ("<d>", "<d><doc id='1'><src><seg id='1'>", "<d a='"),
    ),
)  # fmt: skip
