"""What each format refuses, and what it says: messages as data; those of contents are in `readers.py`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from clirbench.errors import AlignmentError, ClirbenchError, ConfigError, InputError, UnknownName
from clirbench.labs.formats.documents import EuroparlDocuments
from clirbench.labs.formats.mtme import MtmeCorpus
from clirbench.labs.formats.wmt import SgmlCorpus, WmtFolder, WmtXmlCorpus
from tests.conftest import put

SGML = '<doc docid="a"><seg id="1">One</seg></doc>'
MTME = {
    "sources/de-en.txt": "Eins\nZwei\nDrei\n", "references/de-en.refA.txt": "one\ntwo\nthree\n",
    "system-outputs/de-en/s.txt": "1\n2\n3\n", "documents/de-en.docs": "news d\nnews d\nnews d\n",
}  # fmt: skip
TWO = {f"wmt22/de-fr/reference-{name}.txt": "un\n" for name in "AB"} | {"wmt22/de-fr/systems/s.txt": "un\n"}
PART = "YEAR/PAIR of paths.mirror was expected, such as wmt22/de-en"


@pytest.mark.parametrize(
    ("files", "work", "kind", "message"),
    [
        ({}, lambda _: SgmlCorpus(), ConfigError, r"corpus\.reference is not set"),
        ({}, lambda _: SgmlCorpus(["x"] * 27), ConfigError, "letters name at most 26"),
        ({"r": SGML}, lambda f: SgmlCorpus(f"{f}/r", systems=f"{f}/no").read(), InputError, "no: no such folder"),
        ({"r": SGML, "e/x.txt": ""}, lambda f: SgmlCorpus(f"{f}/r", systems=f"{f}/e").read(), InputError, "no systems"),
        ({"r": SGML, "e/x.sgm": SGML, "e/x.sgml": SGML}, lambda f: SgmlCorpus(f"{f}/r", systems=f"{f}/e").read(),
         InputError, "system 'x' has two entries"),
        ({}, lambda _: WmtXmlCorpus(), ConfigError, r"corpus\.path=FILE"),
        ({}, lambda _: WmtFolder(), ConfigError, f"corpus.part=None: {PART[:38]}"),
        *(({}, lambda f, part=part: WmtFolder(str(f), part), ConfigError, PART)
          for part in ("de-fr", "wmt22/../de-fr", "/wmt22/de-fr", "a/b/c/d")),
        (TWO, lambda f: WmtFolder(str(f), "wmt22/de-fr/A-C").read(), UnknownName, "'C'.*Choices: A, B"),
        ({}, lambda f: WmtFolder(str(f), "wmt22/de-xx").read(), ClirbenchError, "wmt22/de-xx"),
        ({}, MtmeCorpus, ConfigError, r"corpus.pair is not set; type corpus.pair=de-en"),
        (MTME, lambda f: MtmeCorpus(f, "en-cs").read(), InputError, "no references/en-cs"),
        ({}, lambda f: MtmeCorpus(f / "none", "de-en").read(), InputError, "no such folder"),
        (MTME | {"documents/de-en.docs": "news d\n"}, lambda f: MtmeCorpus(f, "de-en").read(), AlignmentError,
         r"de-en\.docs has 1 line,.*has 3"),
        (MTME | {"documents/de-en.docs": "news d\nd\n"}, lambda f: MtmeCorpus(f, "de-en").read(), InputError,
         r"de-en\.docs: line 2: 1 columns, 2 expected: DOMAIN DOCNAME"),
        (MTME | {"metric-scores/de-en/K-src.sys.score": "s\tgood\n"}, lambda f: MtmeCorpus(f, "de-en").read(),
         InputError, r"K-src\.sys\.score: line 1: 'good' is not a number"),
        ({}, lambda _: EuroparlDocuments(min_lines=-1), ConfigError, r"corpus\.reader\.min_lines=-1"),
        ({}, lambda f: list(EuroparlDocuments().documents(f)), InputError, r"no files in it that end in \.txt"),
    ],
)  # fmt: skip
def test_what_is_refused(
    tmp_path: Path, files: dict[str, str], work: Callable[[Path], object], kind: type[ClirbenchError], message: str
) -> None:
    for name, content in files.items():
        put(tmp_path / name, content)
    with pytest.raises(kind, match=message):
        work(tmp_path)
