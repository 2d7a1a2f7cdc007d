"""A script as a user writes it, with everything that there is; checked by mypy --strict, never run."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

import clirbench as cb


@dataclass(frozen=True)
class Words(cb.metrics.SegmentMean):
    name: str = "Words"
    higher_is_better = True
    signature = "words"


def main() -> None:
    r: cb.Outcome = cb.run("europarl_csen_published")
    r = cb.run("folder", folder="DIR", metric=["BLEU", "MacroF1"], measures=["MAP", "RBO(p=0.9)"], topics="keyterms")
    parts = cb.run(
        corpus=cb.corpora.Folder("DIR"),
        systems=cb.systems.Files(exclude=["draft*"]),
        topics=cb.topics.KeyTerms(n=20),
        retrieval=cb.retrieval.BM25(k1=1.2),
        relevance=cb.relevance.TopK(k=10),
        metric=["BLEU", cb.metrics.ChrF(beta=3), cb.metrics.MacroF()],
        measures=["MAP", cb.measures.RBO(p=0.9)],
    )
    texts = cb.run(texts={"A": ["a", "b"], "B": ["b", "a"]}, references=["a", "b"], documents=["x", "y"], check=True)
    metrics: list[cb.metrics.Metric] = [cb.metrics.WER(), cb.metrics.ChrF(), Words()]
    measured: list[cb.measures.Measure] = [cb.measures.RBO(), cb.measures.AQWV()]
    answer: str = texts.answer + cb.run("demo", metric=metrics, measures=measured).answer
    tables: list[pd.DataFrame] = [r.decision, r.correlations, r.systems, r.per_topic, r.tables["choice"]]
    axes: Axes = r.plot("MAP", "BLEU")
    folder: Path = r.save("out")
    html: str = r._repr_html_()
    again = [cb.load(folder), cb.load("runs/demo")]
    pooled: cb.PooledOutcome = cb.pool([r, parts, "runs/demo"])
    many: list[pd.DataFrame] = [pooled.table, pooled.collections]
    taus: pd.DataFrame = cb.correlate(r.systems, measures=["MAP"], given=["step"]).correlations
    score: float = cb.score(["a"], ["b"], "MacroF1")
    segments: pd.Series[float] = cb.score(["a"], ["b"], cb.metrics.BLEU(), segments=True)
    values: dict[str, float] = cb.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["AP", "RBO(p=0.9)"])
    topics: pd.DataFrame = cb.evaluate("qrels.txt", Path("run.txt"), ["AP"], per_topic=True)
    found: cb.Comparison = cb.compare(r, parts)
    differences: tuple[pd.DataFrame, Path] = (found.table, found.write_html("compared.html"))
    try:
        cb.run("demo")
    except cb.ClirbenchError as error:
        print(error, answer, tables, axes, html, again, taus, many, pooled.save("p"), cb.__version__)
        print(score, segments, values, topics, differences)
