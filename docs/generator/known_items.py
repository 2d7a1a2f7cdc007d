"""`python docs/generator/known_items.py DATA`: docs/data/known_items.tsv, the bias of pseudo-relevance by page set.

Titles are searched once (BM25). RR of a translation is by the known page, its RBO (p .9, 100 documents) by what the
English pages rank. The bias of a metric is its tau with RR less its tau with RBO, over real engines, the mean over the
languages of a set. Those share pages: intervals are 1.96 standard deviations over draws of pages, which all languages
get together (a draw repeats pages, which lowers its taus: its percentiles are not used). They are for these engines;
other engines would move them more. Split half: tau of the engines' order by half of a set's pages with that by the
other half, the mean over languages and draws.
"""

import sys
from pathlib import Path

import numpy as np

import clirbench as cb
from clirbench.corpora.folder import FolderCorpus
from clirbench.files.tables import read_table
from clirbench.labs.formats.pages import SETS, page_folder
from clirbench.measures.ir import ranked_documents
from clirbench.measures.rbo import RBO
from clirbench.retrieval.analyzers import English
from clirbench.retrieval.bm25 import BM25
from clirbench.text import TextFile
from clirbench.topics.files import JsonlTopics
from clirbench.types import Documents, Doubles, Run

METRICS = ("BLEU", "chrF2", "MacroF1")
DRAWS = 2000
COLUMNS = ("pages", "metric", "languages", "engines", "titles", "tau_known", "tau_pseudo", "bias", "ci_low", "ci_high",
           "split_half_rr", "split_half_rbo")  # fmt: skip
Folder = tuple[list[str], Doubles, Doubles, dict[str, list[float]]]


def ids(run: Run, topic_id: str) -> list[str]:
    """The documents of a topic, best first."""
    return [run.doc_ids[at] for at in ranked_documents(run, topic_id)]


def measured(folder: Path) -> Folder:
    """The page of each title, RR and RBO (system, title), and of each metric its values (system)."""
    corpus = FolderCorpus(str(folder)).read()
    topics = JsonlTopics(str(folder / "topics.jsonl")).topics(corpus.english)
    answers = {line.split()[0]: line.split()[2] for line in (folder / "qrels.txt").read_text().splitlines()}
    page_of = {row["doc_id"]: row["page"] for row in read_table(folder / "pages.tsv").records()}
    known = [answers[topic.topic_id] for topic in topics]
    retriever, agreement = BM25(analyzer=English()), RBO(p=0.9, depth=100)
    ideal = retriever.rank(corpus.english, topics)
    damaged = set()
    if (folder / "systems.tsv").exists():
        damaged = {row["system"] for row in read_table(folder / "systems.tsv").records() if row["damaged"] == "yes"}
    rr: list[list[float]] = []
    rbo: list[list[float]] = []
    scores: dict[str, list[float]] = {name: [] for name in METRICS}
    best = [ids(ideal, topic.topic_id) for topic in topics]
    for path in sorted((folder / "systems").iterdir()):
        if path.name.partition(".")[0] in damaged:
            continue
        run = retriever.rank(Documents(TextFile(path), corpus.english.map), topics)
        found = [ids(run, topic.topic_id) for topic in topics]
        rr.append([1 / (1 + one.index(page)) if page in one else 0.0 for page, one in zip(known, found, strict=True)])
        rbo.append([agreement.compare(one, other) for one, other in zip(found, best, strict=True)])
        lines = list(TextFile(path).lines())
        for name in METRICS:
            scores[name].append(float(cb.score(lines, list(corpus.test.references[0]), name)))
    return [page_of[page] for page in known], np.array(rr), np.array(rbo), scores


def orders(values: Doubles) -> Doubles:
    """(..., pairs): 1 where the first system of a pair is higher, -1, or 0; `values`: (..., systems). The mean of two
    orders' product is Kendall's tau (tau-a)."""
    first, second = np.triu_indices(values.shape[-1], 1)
    return np.asarray(np.sign(values[..., first] - values[..., second]))


def rows(name: str, folders: list[Folder]) -> list[list[str]]:
    """The table's rows of one set; the first draw is all pages once."""
    pages = sorted({page for folder in folders for page in folder[0]})
    random = np.random.default_rng(1)
    drawn = random.multinomial(len(pages), np.full(len(pages), 1 / len(pages)), DRAWS)
    times = np.vstack([np.ones(len(pages)), drawn])
    half = random.permuted(np.tile(np.arange(len(pages)) % 2, (DRAWS, 1)), axis=1)
    halves = []
    for known, rr, rbo, _ in folders:
        one = half[:, [pages.index(page) for page in known]]
        halves.append([(orders(one @ x.T) * orders((1 - one) @ x.T)).mean() for x in (rr, rbo)])
    found = []
    for metric in METRICS:
        by = []
        for known, rr, rbo, scores in folders:
            weight = times[:, [pages.index(page) for page in known]]
            by.append([(orders(weight @ x.T) * orders(np.array(scores[metric]))).mean(axis=-1) for x in (rr, rbo)])
        known, pseudo = np.array(by).mean(axis=0)
        wide = 1.96 * (known - pseudo)[1:].std()
        counts = (len(folders), sum(len(folder[1]) for folder in folders), len(pages))
        bias = known[0] - pseudo[0]
        numbers = (known[0], pseudo[0], bias, bias - wide, bias + wide, *np.mean(halves, axis=0))
        found.append([name, metric, *map(str, counts), *(f"{number:.3f}" for number in numbers)])
    return found


def main(data: str) -> None:
    """Measure all folders that have two engines or more."""
    table = [list(COLUMNS)]
    for name, of in SETS.items():
        parts = [page_folder(f"{name}/{language}", data) for language in of.languages]
        folders = [measured(part) for part in parts if (part / "systems").is_dir()]
        table += rows(name, folders)
        print(*map("\t".join, table[-len(METRICS) :]), sep="\n", flush=True)
    target = Path(__file__).resolve().parents[1] / "data" / "known_items.tsv"
    target.write_text("".join("\t".join(row) + "\n" for row in table), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
