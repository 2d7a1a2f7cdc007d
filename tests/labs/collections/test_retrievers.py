"""Sentences and tables about retrievers side by side, from folders of runs."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from clirbench.labs.collections import retrievers
from clirbench.labs.collections.findings import unanswered
from clirbench.labs.collections.pooling import Pooling, pool
from clirbench.labs.collections.view import page, write
from clirbench.report import markdown
from tests.report.boards import results_json

ENDING = ":x|topics:t|rel:top10|MAP"


def runs(folder: Path, number: int, lean: float = 0.0) -> Pooling:
    """Collections of 14 systems, searched by two retrievers; `lean`: how much the second follows BLEU itself."""
    made = []
    for seed in range(number):
        place = folder / f"r{seed}"
        place.mkdir(parents=True)
        rng = np.random.default_rng(seed)
        truth, bleu, chrf, length, *noise = rng.normal(size=(6, 14))
        bleu, chrf = truth + bleu, truth + chrf
        measures = truth + 0.3 * noise[0], truth + 0.3 * noise[1] + lean * bleu
        header = ["system", "BLEU", "chrF1", "LengthRatio", "MAP", "MAP[dense]"]
        rows = zip(*([f"{seed}-{i}" for i in range(14)], bleu, chrf, length, *measures), strict=True)
        (place / "systems.tsv").write_text("\n".join("\t".join(map(str, row)) for row in [header, *rows]) + "\n")
        said = [f"{m}\t{x}\tkendall\t0.9\n" for m in header[4:] for x in header[1:4]]
        (place / "correlations.tsv").write_text("measure\tmetric\tcoefficient\tceiling\n" + "".join(said))
        signatures = {name: f"nrefs:1|{name}" for name in header[1:4]}
        signatures |= {"MAP": f"bm25{ENDING}", "MAP[dense]": f"dense{ENDING}"}
        provenance = {"signatures": signatures, "lower_is_better": [], "inputs": {"test_sha256": ""}}
        (place / "provenance.json").write_text(json.dumps(provenance))
        searched = {"MAP": ("bm25", "pseudo-relevance"), "MAP[dense]": ("dense", "pseudo-relevance")}
        (place / "results.json").write_text(results_json(signatures, searched))
        made.append(place)
    return pool(made)


def test_what_cannot_be_told_apart_is_said_so(tmp_path: Path) -> None:
    found = runs(tmp_path, 6)
    assert [stratum.retriever for stratum in found.strata] == ["bm25"]
    assert {row.retriever for row in found.rows} == {"bm25", "dense"}  # pooled.tsv has both
    (text,) = retrievers.sentences(found)
    assert text.startswith("MAP (pseudo-relevance), over 6 collections: by mean tau the order of metrics is ")
    assert "It is not shown that this order changes; the largest difference: BLEU - chrF1 " in text
    assert "It is not shown that a metric's tau differs; the largest difference: " in text
    assert text.endswith(
        "Noise of the topics: a perfect metric is estimated to reach .90 with bm25 and .90 with dense."
    )
    assert "LengthRatio" not in text
    (short,) = retrievers.abstract(found)
    assert short == (
        "With dense beside bm25, over 6 collections, the order of metrics is shown to change by 0 of 1 measure, the "
        "tau of a metric by 0."
    )


def test_what_differs_is_named_and_never_from_few_collections(tmp_path: Path) -> None:
    (text,) = retrievers.sentences(runs(tmp_path / "many", 7, lean=2.0))
    assert "How far a metric is ahead of another differs: BLEU - chrF1 -" in text
    assert "The tau of a metric differs: BLEU -" in text
    few = runs(tmp_path / "few", 4, lean=2.0)
    (text,) = retrievers.sentences(few)
    assert text.count("from fewer than 5 collections that are independent; the largest difference: ") == 2
    (short,) = retrievers.abstract(few)
    assert "by 0 of 1 measure, the tau of a metric by 0." in short


def test_the_page_has_a_section_and_the_tables(tmp_path: Path) -> None:
    found = runs(tmp_path, 5)
    text = markdown.page(page(found))
    for title in ("## MAP (pseudo-relevance, bm25)", "## Another retriever\n", "## Another retriever: MAP in each "):
        assert title in text
    assert "(pseudo-relevance, dense)" not in text
    means, each = retrievers.tables(found)
    assert means.header == ("measure", "metric", "first", "tau", "tau by dense", "difference", "p (Holm)")
    assert [row[:3] for row in means.rows] == [("MAP", name, "bm25") for name in ("BLEU", "chrF1", "LengthRatio")]
    assert each.header == ("collection", "metric", "bm25", "dense")
    assert [row[0] for row in each.rows] == [f"r{i}" for i in range(5) for _ in range(3)]
    write(tmp_path / "out", found)
    assert "Another retriever" in (tmp_path / "out" / "pooled.html").read_text()
    header, *rows = (tmp_path / "out" / "pooled_retrievers.tsv").read_text().splitlines()
    assert header.startswith("judge\tmeasure\tfirst\tsecond\tmetric\tother\tcollection\t")
    assert len(rows) == (3 + 3) * (5 + 1)


def test_one_retriever_is_an_open_question(tmp_path: Path) -> None:
    found = runs(tmp_path, 5)
    assert not any("other retrievers" in text for text in unanswered(found))
    for place in sorted(tmp_path.iterdir()):
        lines = [line.split("\t")[:5] for line in (place / "systems.tsv").read_text().splitlines()]
        (place / "systems.tsv").write_text("\n".join(map("\t".join, lines)) + "\n")
        said = (place / "correlations.tsv").read_text().splitlines(keepends=True)
        (place / "correlations.tsv").write_text("".join(line for line in said if "[dense]" not in line))
    alone = pool(sorted(tmp_path.iterdir()))
    assert list(retrievers.tables(alone)) == []
    assert "Whether the metrics predict other retrievers too: bm25 alone searched (retrieval@also=dense)." in [
        *unanswered(alone)
    ]


def test_judgments_of_people_have_rows_of_their_own(tmp_path: Path) -> None:
    found = runs(tmp_path, 5)
    people = tuple(replace(row, judge="people", by_first=0.25) for row in found.beside)
    both = replace(found, beside=(*found.beside, *people))
    means = next(retrievers.tables(both))
    assert [row[0] for row in means.rows] == ["MAP (pseudo-relevance)"] * 3 + ["MAP (judged by people)"] * 3
    assert len(list(retrievers.sentences(both))) == 2


def test_collections_of_the_same_systems_are_one_and_give_no_mean(tmp_path: Path) -> None:
    found = runs(tmp_path, 5)
    alone = replace(found, beside=tuple(row for row in found.beside if row.collection))
    assert list(retrievers.tables(alone)) == list(retrievers.abstract(alone)) == []
    trivial = replace(found, beside=tuple(row for row in found.beside if row.metric == "LengthRatio"))
    assert list(retrievers.sentences(trivial)) == list(retrievers.abstract(trivial)) == []
