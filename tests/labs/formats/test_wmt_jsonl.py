"""WMT's JSON lines: made releases with the fields of the conference's of 2025 and 2026."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clirbench.corpora.base import CorpusSource
from clirbench.errors import ClirbenchError, ConfigError, InputError, UnknownName
from clirbench.labs.formats.wmt_jsonl import WmtJsonlCorpus, pair_of
from clirbench.metrics.segments import per_system
from clirbench.systems.files import FileSystems
from tests.conftest import put

PAIR = "en-is_IS"


def write(path: Path, *records: Mapping[str, Any]) -> None:
    put(path, "".join(json.dumps(record) + "\n" for record in records))


@pytest.fixture
def release(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    ids = [f"{PAIR}_#_news_#_{name}" for name in "ab"]
    texts = [
        {
            "doc_id": doc_id,
            "src_text": f"One {n}\n\nTwo",
            "refs": {"refA": {"ref": f"Ein {n}\n\nTveir"}, "refB": f"B {n}"},
        }
        for n, doc_id in enumerate(ids)
    ]
    write(data / "wmt25-genmt.jsonl", *texts, {"doc_id": "cs-uk_UA_#_news_#_c", "src_text": "x", "refs": {}})
    other = {"doc_id": "cs-uk_UA_#_news_#_c", "hypothesis": "y"}
    for system in ("S", "T"):
        write(data / "systems" / f"{system}.jsonl", *({"doc_id": d, "hypothesis": f"{system}\nx"} for d in ids), other)
    write(data / "systems" / "Half.jsonl", {"doc_id": ids[0], "hypothesis": "h"})
    write(data / "systems" / "Elsewhere.jsonl", other)
    write(data / "automatic_scores" / "S.jsonl", *(
        {"language_pair": PAIR, "domain": "news", "document_id": name, "metric_scores": {"XCOMET": xs, "GEMBA": [n]}}
        for n, (name, xs) in enumerate({"a": [0.5, 0.7], "b": [0.9]}.items())
    ))  # fmt: skip
    return tmp_path


def test_a_pair_of_a_release_is_read(release: Path) -> None:
    source = WmtJsonlCorpus(release, PAIR, references="all")
    assert isinstance(source, CorpusSource)
    corpus = source.read()
    assert corpus.test.source == ("One 0 Two", "One 1 Two")
    assert [*corpus.test.references] == [("Ein 0 Tveir", "Ein 1 Tveir"), ("B 0", "B 1")]
    assert corpus.document_map.doc_ids == (f"{PAIR}_#_news_#_a", f"{PAIR}_#_news_#_b")
    translations = {t.system: t.test for t in FileSystems().translations(corpus) if t.test is not None}
    assert {name: text.lines() for name, text in translations.items()} == {"S": ("S x", "S x"), "T": ("T x", "T x")}
    assert "Half is left out, 1 of 2 segments are missing" in " ".join(corpus.notes)
    assert "XCOMET: no score of T" in " ".join(corpus.notes)
    by_name = {metric.name: metric for metric in corpus.scores}
    assert {*by_name} == {"XCOMET", "GEMBA"}
    (scored,) = per_system(by_name["XCOMET"], translations, corpus.test).items()
    rows = scored[1].statistics((), corpus.test)
    assert scored[0] == "S"
    assert scored[1].score(rows.sum(axis=0)) == pytest.approx((0.6 + 0.9) / 2)  # of documents, of paragraphs before
    assert [m.name for m in WmtJsonlCorpus(release, PAIR, scores=["X*"]).read().scores] == ["XCOMET"]


def test_a_file_of_the_human_evaluation_has_the_translations_in_it(tmp_path: Path) -> None:
    file = tmp_path / "wmt25-genmt-humeval.jsonl"
    write(file, {"doc_id": f"{PAIR}_#_x_#_1", "src_text": "a", "refs": {"r": "b"}, "tgt_text": {"S": "c"}})
    corpus = WmtJsonlCorpus(file).read()
    assert [t.system for t in FileSystems().translations(corpus)] == ["S"]


def test_pairs_of_both_years() -> None:
    assert pair_of("WMT26_###_news_###_eng_Latn_###_sme_Latn_###_a.b.1") == "eng_Latn-sme_Latn"
    assert pair_of("en-sr_Cyrl_RS_#_speech_#_vid_1") == "en-sr_Cyrl_RS"


@pytest.mark.parametrize(
    ("pair", "changed", "kind", "message"),
    [
        (None, {}, ConfigError, f"corpus.pair is not set; .* has cs-uk_UA, {PAIR}"),
        ("en-is", {}, UnknownName, "unknown corpus.pair .*'en-is'"),
        ("cs-uk_UA", {}, InputError, "no reference"),
        (PAIR, {"systems/S.jsonl": {"doc_id": f"{PAIR}_#_news_#_a", "hypothesis": 3}}, InputError,
         r"S\.jsonl: line 1: system S: a text was expected, found int"),
        (PAIR, {"systems/S.jsonl": {"hypothesis": "x"}}, InputError, "line 1: key doc_id: a text was expected"),
        (PAIR, {"wmt25-genmt.jsonl": {"doc_id": PAIR, "refs": ["x"]}}, InputError, "refs: an object of names"),
        (PAIR, {"automatic_scores/S.jsonl": {"language_pair": PAIR, "domain": "d", "document_id": "a",
                                             "metric_scores": {"M": ["x"]}}}, InputError, "a list of numbers"),
        (PAIR, {"wmt26-genmt.jsonl": {}}, InputError, r"2 files \*genmt\*\.jsonl in it"),
    ],
)  # fmt: skip
def test_what_is_no_release_says_why(
    release: Path, pair: str | None, changed: Mapping[str, Any], kind: type[ClirbenchError], message: str
) -> None:
    for name, record in changed.items():
        write(release / "data" / name, record)
    with pytest.raises(kind, match=message):
        WmtJsonlCorpus(release, pair).read()
