"""mt-metrics-eval's folders."""

from pathlib import Path

import pytest

from clirbench.corpora.base import CorpusSource
from clirbench.errors import UnknownName
from clirbench.labs.formats.mtme import MtmeCorpus
from clirbench.metrics.score_files import ScoreFile
from clirbench.systems.files import FileSystems
from tests.conftest import put
from tests.metrics.agreement import system_scores


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put(tmp_path / "sources" / "de-en.txt", "Eins\nZwei\nDrei\n")
    put(tmp_path / "documents" / "de-en.docs", "news\tdoc.1\nnews doc.1\ntalk   doc.2\n")
    for name in ("refA", "refB"):
        put(tmp_path / "references" / f"de-en.{name}.txt", f"{name} one\ntwo\nthree\n")
    put(tmp_path / "references" / "de-fr.refA.txt", "un\n")
    for name in ("refB", "sys.1"):
        put(tmp_path / "system-outputs" / "de-en" / f"{name}.txt", "1\n2\n3\n")
    return tmp_path


def test_a_test_set_is_read(folder: Path) -> None:
    source = MtmeCorpus(folder, "de-en", references="all")
    assert isinstance(source, CorpusSource)
    corpus = source.read()
    assert [lines[0] for lines in corpus.test.references] == ["refA one", "refB one"]
    assert corpus.test.source == ("Eins", "Zwei", "Drei")
    assert source.side_texts().source is not None
    assert corpus.document_map.doc_ids == ("doc.1", "doc.2")
    assert corpus.document_map.lengths.tolist() == [2, 1]
    assert [t.system for t in FileSystems().translations(corpus)] == ["sys.1"]


def test_the_reference_that_is_searched_is_the_first_named(folder: Path) -> None:
    corpus = MtmeCorpus(folder, "de-en", references=["refB", "refA"]).read()
    assert next(iter(corpus.english)).text == "refB one\ntwo"
    with pytest.raises(UnknownName, match="unknown reference of .* 'refC'.*Choices: refA, refB"):
        MtmeCorpus(folder, "de-en", references="refC").read()


def scores(folder: Path) -> Path:
    """Scores as the README of mt-metrics-eval lays them out; people did not judge every segment, nor every system."""
    put(folder / "system-outputs" / "de-en" / "sys2.txt", "1\n2\n3\n")
    both = {"sys.1": (0.1, 0.2, 0.6), "sys2": (0.4, 0.5, 0.9), "refB": (1, 1, 1)}
    blocks = "".join(f"{system}\t{score}\n" for system, block in both.items() for score in block)
    put(folder / "metric-scores" / "de-en" / "COMET-22-refA.seg.score", blocks)
    put(folder / "metric-scores" / "de-en" / "COMET-22-refA.sys.score", "sys.1\t0.3\nsys2\t0.6\nrefB\t1\n")
    put(folder / "metric-scores" / "de-en" / "BLEU-refA.seg.score", blocks)
    put(folder / "metric-scores" / "de-en" / "BLEU-refA.sys.score", "sys.1\t31\nsys2\t33\nrefB\t60\n")
    put(folder / "metric-scores" / "de-en" / "BLEU-refC.sys.score", "sys.1\t31\nsys2\t33\nrefB\t60\n")
    put(folder / "metric-scores" / "de-en" / "Kiwi-src.sys.score", "sys.1\t.5\nsys2\t.6\n")
    put(folder / "metric-scores" / "de-en" / "Kiwi-src.domain.score", "news\tsys.1\t.5\nnews\tsys2\t.6\n")
    put(folder / "human-scores" / "de-en.mqm.seg.score", "sys.1\tNone\nsys.1\t-2\nsys.1\t-4\n" + "sys2\tNone\n" * 3)
    put(folder / "human-scores" / "de-en.wmt-z.sys.score", "sys.1\tNone\nsys2\t0.5\n")
    put(folder / "human-scores" / "de-fr.mqm.sys.score", "sys.1\t7\n")
    return folder


def test_every_metric_found_is_a_column(folder: Path) -> None:
    corpus = MtmeCorpus(scores(folder), "de-en").read()
    texts = {t.system: t.test for t in FileSystems().translations(corpus) if t.test is not None}
    found = {metric.name: system_scores(metric, texts, corpus.test) for metric in corpus.scores}
    assert {name: pytest.approx(values) for name, values in found.items()} == {
        "COMET-22-refA": {"sys.1": 0.3, "sys2": 0.6},
        "BLEU-refA": {"sys.1": 31, "sys2": 33},
        "BLEU-refA.seg": {"sys.1": 0.3, "sys2": 0.6},
        "Kiwi-src": {"sys.1": 0.5, "sys2": 0.6},
        "human-mqm": {"sys.1": -3},
        "human-wmt-z": {"sys2": 0.5},
    }
    resampled = [one.name for one in corpus.scores if isinstance(one, ScoreFile) and one.aggregate != "system"]
    assert resampled == ["BLEU-refA.seg", "COMET-22-refA", "human-mqm"]
    assert [note.split(";")[0] for note in corpus.notes] == [
        "human-mqm: no score of sys2",
        "human-mqm: 1 systems have segments without a score",
        "human-wmt-z: no score of sys.1",
    ]
    assert [m.name for m in MtmeCorpus(folder, "de-en", scores=["human-*"]).read().scores] == [
        "human-mqm",
        "human-wmt-z",
    ]
    assert MtmeCorpus(folder, "de-en", scores=[]).read().scores == ()
