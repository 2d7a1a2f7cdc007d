"""The odd folders of the net and what is run on each, and the shipped experiments."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conftest import write_lines
from tests.net.folders import Folder, judgments, table, topics

FEW = {"metric": ["BLEU", "MacroF1"]}
"""Of every case that says nothing else: enough to see a change, soon."""
EIGHT = [f"s{chr(97 + i)}" for i in range(8)]
PLAIN = Folder()
SCORES = table(
    ["system", *EIGHT],
    ["BLEU", 31.2, 29.9, 30.5, 24.0, 22.2, 19.1, 15.5, 14.9],
    ["TER", 41.0, 44.5, 43.1, 52.2, 50.0, 61.3, 66.0, 70.2],
    ["MAP", 0.41, 0.40, 0.38, 0.33, 0.35, 0.22, 0.21, 0.14],
    ["kind", "a", "a", "b", "b", "c", "c", "d", "d"],
)
HOLES = [*SCORES[:3], "sc\t\t43.1\t0.38\tb", "sd\t24.0\t\t0.33\tb", *SCORES[5:]]
TIED = [line.replace("29.9", "31.2").replace("0.35", "0.33").replace("0.21", "0.22") for line in SCORES]
SHUFFLED = table(["line", *range(1, 41)], ["doc_id", *(f"doc{line // 4 * 7 % 10:02d}" for line in range(40))])
"""Documents whose ids are in another order than their lines."""
STEPS = [f"run{run}_ckpt{step}" for run in (1, 2) for step in (100, 200, 300, 400)][::-1]
SEEDS = [f"{size}_seed{seed}" for size in ("big", "mid", "low", "tiny") for seed in (1, 2, 3)]


def qrels(folder: Folder = PLAIN, n: int = 12, lost: int = 0) -> dict[str, Any]:
    return {"topics.tsv": topics(n), "qrels.txt": judgments(folder, n, lost)}


ASKED = {"topics": "tsv", "topics__path": "topics.tsv"}
JUDGED = {**ASKED, "relevance": "qrels", "relevance__path": "qrels.txt", "relevance__judged_by": "people"}
BOTH = {**ASKED, "relevance__k": 3, "relevance@also": "qrels", "also__path": "qrels.txt", "also__judged_by": "made"}


def runs_of_others() -> dict[str, Sequence[str]]:
    """A TREC run for each system and the reference side, with ties."""
    chosen = random.Random(5)
    made: dict[str, Sequence[str]] = {}
    for at, name in enumerate(["ideal", *EIGHT]):
        scores = {f"doc{d:02d}": round((10 - d) / 2 + at * chosen.uniform(-1, 1)) for d in range(10)}
        ordered = sorted(scores, key=lambda doc: (-scores[doc], doc))
        lines = (f"q{q} Q0 {doc} {n + 1} {scores[doc]} {name}" for q in range(6) for n, doc in enumerate(ordered))
        made[f"runs/{name}.run"] = list(lines)
    return made


NONE: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Case:
    """A folder, files beside its own, and the settings of the run; `experiment` is `folder` where not said."""

    folder: Folder
    settings: Mapping[str, Any]
    files: Mapping[str, str | Sequence[str]]
    experiment: str
    other: Folder | None
    several: Sequence[Folder]

    def ready(self, root: Path, mirror: Path) -> tuple[str, dict[str, Any]]:
        """Write everything to the folder `root`; the experiment and its settings."""
        for number, folder in enumerate(self.several):
            folder.write(root / f"c{number}")
        self.folder.write(root / "mt")
        if self.other:
            self.other.write(root / "other")
        for name, lines in self.files.items():
            write_lines(root / name, lines)
        if self.experiment in ("pool", "ask", "rankings"):
            runs = [{**FEW, **self.settings, "folder": f"c{n}", "name": f"c{n}"} for n in range(len(self.several))]
            return self.experiment, {"runs": runs} if runs else {**self.settings}
        own = (
            {"folder": "mt", "measures": ["MAP", "nDCG"], "topics__n": 8, "relevance__k": 3}
            if self.experiment == "folder"
            else {}
        )
        if "topics__path" in self.settings:
            own.pop("topics__n")
        if str(self.settings.get("relevance", "top_k")) != "top_k":
            own.pop("relevance__k")
        return self.experiment, {**FEW, **own, **self.settings}


def metadata(names: Sequence[str], **columns: Sequence[object]) -> dict[str, list[str]]:
    return {"systems.tsv": table(["system", *names], *([name, *values] for name, values in columns.items()))}


def analyses(*names: str, **settings: Any) -> dict[str, Any]:
    return {"analysis": [*names], **{f"analyses__{key}": value for key, value in settings.items()}}


def scores(**settings: Any) -> dict[str, Any]:
    return {"scores__tables": ["scores.tsv"], "scores__measures": ["MAP"], **settings}


def case(
    folder: Folder = PLAIN,
    settings: Mapping[str, Any] = NONE,
    files: Mapping[str, str | Sequence[str]] = NONE,
    experiment: str = "folder",
    other: Folder | None = None,
    several: Sequence[Folder] = (),
    **more: Any,
) -> Case:
    """A case; `more`: settings that can be keywords."""
    return Case(folder, {**settings, **more}, files, experiment, other, several)


PAIR = {"pair": ["sa", "se"]}
CASES: dict[str, Case] = {
    "plain": case(
        metric=["BLEU", "chrF1", "chrF2", "MacroF1", "MicroF1"], measures=["MAP", "RBO", "P@10", "R@10", "nDCG"]
    ),
    # How many systems, topics, lines
    "systems_1": case(Folder(systems=1)),
    "systems_2": case(Folder(systems=2)),
    "systems_3": case(Folder(systems=3)),
    "systems_5": case(Folder(systems=5)),
    "systems_9": case(Folder(systems=9, worst=0.9), measures=["MAP", "RBO"]),
    "systems_10": case(Folder(systems=10, worst=0.9), measures=["MAP", "RBO"]),
    "systems_24": case(Folder(systems=24), measures=["MAP"], metric=["BLEU", "chrF2"]),
    "topics_1": case(topics__n=1),
    "topics_4": case(topics__n=4, baseline="sc"),
    "topics_6": case(topics__n=6, baseline="sc"),
    "topics_8": case(topics__n=8, baseline="sb", margin=0.3),
    "topics_19": case(**ASKED, files={"topics.tsv": topics(19)}),
    "topics_22": case(**ASKED, test_folder="other", files={"topics.tsv": topics(22)}, other=Folder(seed=2)),
    # Texts
    "no_docs": case(Folder(docs=False)),
    "shuffled_ids": case(Folder(files={"docs.tsv": SHUFFLED})),
    "repeated": case(Folder(distinct=8, worst=0.2), retrieval__depth=3, relevance__k=2, measures=["MAP", "RBO"]),
    "documents_of_5": case(Folder(docs=False), documents__size=5),
    "no_source": case(Folder(source=False)),
    "gz": case(Folder(gz=True)),
    "crlf": case(Folder(files={"systems/crlf.txt": "A quiet farmer closed the school.\r\n" * 40})),
    "chinese": case(Folder(references=["zh"], language="zh"), languages="de-zh", topics="titles"),
    "chinese_terms": case(Folder(references=["zh"], language="zh"), languages="de-zh"),
    "two_references": case(Folder(references=["en", "B"]), references=["B", "A"]),
    "all_references": case(Folder(references=["en", "B"]), references="all"),
    "crossed": case(Folder(references=["en", "B"]), references="cross"),
    "test_folder": case(Folder(per_document=5), test_folder="other", other=Folder(lines=30, seed=4)),
    "empty_lines": case(Folder(spoil={"sa": {3: "", 4: "", 17: ""}, "sh": {0: ""}})),
    "empty_reference": case(Folder(files={"reference.txt": ["The old farmer.", "", *["A warm day."] * 38]})),
    "blank_system": case(Folder(spoil={"sd": {-1: ""}})),
    "half_blank": case(Folder(spoil={"sd": dict.fromkeys(range(19), "")})),
    "one_text": case(Folder(spoil={"se": {-1: "The old farmer often visited the market."}})),
    "short_lines": case(
        Folder(spoil={"sa": dict.fromkeys(range(20), "The."), "sb": dict.fromkeys(range(10), "the " * 60)})
    ),
    "lost_line": case(Folder(files={"systems/sd.txt": ["The quiet farmer."] * 39})),
    "copies": case(Folder(copies={"twin": "sb", "third": "sb", "again": "sf"})),
    "copy_of_reference": case(Folder(copies={"human": "reference"})),
    "kept_copy": case(Folder(copies={"human": "reference"}), keep_copies=True),
    "perfect_tau": case(Folder(systems=6, worst=0.9, lines=60), metric=["BLEU"], measures=["nDCG"]),
    "flat": case(Folder(flat=True), metric=["BLEU", "MacroF1"]),
    "all_tied": case(measures=["Success@10", "MAP"], relevance__k=9),
    "untranslated": case(untranslated=True, measures=["MAP"]),
    "include": case(systems__include=["s[a-f]"], systems__exclude=["sb"]),
    # What belongs together
    "steps": case(Folder(systems=STEPS), measures=["MAP"], analysis=["correlation", "choice"]),
    "step_column": case(Folder(systems=8, files=metadata(EIGHT, step=[8, 7, 6, 5, 4, 3, 2, 1])), given=["step"]),
    "seeds": case(
        Folder(
            systems=SEEDS,
            files=metadata(SEEDS, seed=[1, 2, 3] * 4, group=["a"] * 3 + ["b"] * 3 + ["c"] * 3 + ["d"] * 3),
        ),
        measures=["MAP"],
        analysis=["choice"],
    ),
    "families": case(
        Folder(systems=12, files=metadata([f"s{chr(97 + i)}" for i in range(12)], family=[*"aabbccddeeff"])),
        measures=["MAP", "RBO"],
    ),
    "units_none": case(Folder(files=metadata(EIGHT, family=[*"aabbccdd"])), units="none"),
    "units_column": case(Folder(files=metadata(EIGHT, family=[*"aabbccdd"], lab=[*"xxxyyyzz"])), units="lab"),
    "sizes": case(
        Folder(files=metadata(EIGHT, training_lines=[90, 80, 80, 50, 60, 30, 20, 20])),
        given=["training_lines"],
        metric=["BLEU", "chrF2"],
        measures=["MAP"],
    ),
    "constant_column": case(
        Folder(
            files={
                **metadata(EIGHT, size=[5] * 8),
                "scores.tsv": table(["system", *EIGHT], ["Flat", *[7] * 8], ["Two", *[1, 1, 1, 1, 2, 2, 2, 2]]),
            }
        )
    ),
    # Topics and judgments
    "rare_titles": case(topics="titles", **{"topics@also_topics": "keyterms"}, also_topics__n=6),
    "sentences": case(topics="sentences", measures=["RBO(p=0.8)", "RBP(p=0.5)", "ERR@5", "GMAP"]),
    "qrels": case(**JUDGED, measures=["MAP", "nDCG@5", "R@5", "GMAP", "RBO"], files=qrels()),
    "qrels_and_ours": case(**BOTH, measures=["MAP", "nDCG"], analysis=["differences"], files=qrels()),
    "lost_topics": case(
        **JUDGED, relevance__missing_topics="drop", measures=["MAP", "P@10", "RBO", "AQWV"], files=qrels(lost=4)
    ),
    "unmatched": case(**ASKED, files={"topics.tsv": [*topics(7), "q8\tzebra quartz", "q9\tfarmer zebra"]}),
    "top_share": case(relevance="top_share", relevance__share=0.3),
    "score_share": case(relevance="score_share", measures=["MAP", "RBO"]),
    "percentile": case(relevance="percentile", measures=["MAP", "nDCG"]),
    "jenks": case(relevance="jenks", relevance__classes=3, measures=["nDCG", "MAP"]),
    "query_in_document": case(topics="titles", relevance="query_in_document", measures=["MAP", "RR"]),
    "tied_runs": case(
        Folder(files={"docs.tsv": SHUFFLED}),
        **ASKED,
        runs="runs",
        relevance__k=2,
        measures=[
            "MAP",
            "RBO",
            "RBO(p=0.9,ties=a)",
            "RBO(p=0.9,ties=b)",
            "RBO(depth=4)",
            "RBO(p=0.7,variant=res)",
            "RBO(p=0.6,variant=max,ties=w)",
            "RBP(p=0.8)",
        ],
        files={"topics.tsv": topics(6), **runs_of_others()},
    ),
    "bm25": case(retrieval__k1=1.5, retrieval__b=0.8, retrieval__depth=5, measures=["MAP", "RBO"]),
    "two_retrievers": case(**{"retrieval@also_retrieval": "rank_bm25"}, measures=["MAP"], topics__n=9),
    # Scores made elsewhere
    "scores": case(**scores(), files={"scores.tsv": SCORES}, experiment="scores"),
    "scores_tied": case(
        settings=scores(correlation__coefficients=["kendall", "kendall_a", "spearman"]),
        files={"scores.tsv": TIED},
        experiment="scores",
    ),
    "scores_lower": case(
        **scores(scores__lower_is_better=["BLEU"], scores__rename={"TER": "Mine"}, units="kind"),
        files={"scores.tsv": SCORES},
        experiment="scores",
    ),
    "scores_holes": case(**scores(scores__missing="hole"), files={"scores.tsv": HOLES}, experiment="scores"),
    "scores_refused": case(**scores(), files={"scores.tsv": HOLES}, experiment="scores"),
    "scores_beside": case(
        Folder(files={"scores.tsv": SCORES[:1] + SCORES[:0:-1]}),
        scores__measures=["MAP"],
        measures=["MAP", "RBO"],
        scores__mark="old",
        scores__rename={"BLEU": "Theirs"},
    ),
    "holes_beside": case(
        Folder(files={"scores.tsv": HOLES}), scores__missing="hole", metric=["chrF2"], measures=["nDCG"]
    ),
    "half_holes": case(
        **scores(scores__missing="hole", correlation__complete_pairs=False),
        files={"scores.tsv": HOLES},
        experiment="scores",
    ),
    # Metrics and coefficients
    "error_rates": case(metric=["TER", "WER", "LengthRatio", "chrFpp"], measures=["MAP"]),
    "word_metrics": case(metric=["SentBLEU", "BLEUplus1", "MicroF1", "TypeCount", "Random"], measures=["MAP"]),
    "coefficients": case(
        correlation__coefficients=["kendall_a", "kendall"], correlation__p_value="permutation", measures=["MAP", "P@10"]
    ),
    "scipy": case(correlation__p_value="scipy", measures=["MAP"]),
    "primary": case(primary="nDCG", seed=3),
    # Analyses
    "choice": case(**analyses("choice"), measures=["MAP"]),
    "multiverse": case(
        **analyses("multiverse"),
        measures=["MAP", "RBO"],
        metric=["BLEU"],
        analyses__multiverse__choices={"relevance.k": [2, 4], "retrieval.b": [0.2, 0.7]},
    ),
    "planning": case(**analyses("power", power__simulations=10), measures=["MAP"], metric=["BLEU", "chrF2"]),
    "differences": case(**analyses("differences", differences__samples=100), measures=["MAP"]),
    "words": case(**analyses("favoritism", "types", "type_weights"), **PAIR, measures=["MAP"]),
    "segments": case(
        **analyses(
            "segment_level",
            "imbalance",
            segment_level__gold="MAP",
            segment_level__matrices=["WMT12", "WMT14"],
            segment_level__samples=50,
        ),
        measures=["MAP"],
        metric=["BLEU", "chrF2"],
    ),
    "simulated": case(systems="simulated", measures=["MAP"], metric=["BLEU"]),
    # Several collections
    "pooled": case(
        measures=["MAP"],
        output__figures=[],
        topics__n=8,
        relevance__k=3,
        experiment="pool",
        several=[Folder(systems=6 + i % 3, seed=i, worst=0.4 + i / 10) for i in range(4)],
    ),
    "rankings": case(rankings=["a (bc) d (efg)", "(ab) (cd) e g", "g f e"], experiment="rankings"),
    "asked": case(
        questions=["chrF2 54.1 -> 55.3", "BLEU 30 -> 29", "BLEU +1.5", "TER 50 -> 49"], pair="de-en", experiment="ask"
    ),
}


@dataclass(frozen=True)
class Shipped:
    """An experiment of conf/ and its settings; `{mirror}` in a text is the folder of real data."""

    experiment: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    needs_data: bool = True

    def ready(self, root: Path, mirror: Path) -> tuple[str, dict[str, Any]]:
        """The experiment and its settings, with the real data in `mirror`; nothing is written to `root`."""
        here = {"paths__mirror": str(mirror.resolve())} if self.needs_data else {}
        return self.experiment, {**here, **_filled(self.settings, str(mirror.resolve()))}


def _filled(value: Any, mirror: str) -> Any:
    if isinstance(value, Mapping):
        return {key: _filled(one, mirror) for key, one in value.items()}
    return value.replace("{mirror}", mirror) if isinstance(value, str) else value


ALL = [
    "correlation", "differences", "choice", "power", "multiverse", "favoritism", "types", "type_weights",
]  # fmt: skip
PART = {"measures": ["MAP", "nDCG"]}
SHIPPED: dict[str, Shipped] = {
    "demo": Shipped("demo", needs_data=False),
    "demo_all": Shipped("demo", {"analysis": ALL, "pair": ["word_order-1", "unknown_words-1"]}, needs_data=False),
    "europarl_csen_published": Shipped("europarl_csen_published", needs_data=False),
    "europarl_deen_published": Shipped("europarl_deen_published", needs_data=False),
    **{name: Shipped(name) for name in ("europarl_csen", "wmt21_deen", "wmt21_isen", "wmt21_jaen",
                                        "wmt21_ruen", "wmt21_metrics", "gowda2020_figure7", "gowda2020_vocabularies",
                                        "gowda2021_figure1", "gowda2021_figure1_ende")},
    **{f"gowda2021_table{n}": Shipped(f"gowda2021_table{n}") for n in (1, 2, 3, 4, 5, 6, 7, 10, 11, 13, 14)},
    # The scores of 2019 are not at hand; with those of 2018 the table is made, and its cells differ.
    "gowda2021_table9": Shipped("gowda2021_table9",
                                {"paper__scores": {"WMT19": "{mirror}/papers/wmt-metrics/wmt-scores-2018.tsv"}}),
    **{f"study_{name}": Shipped(f"study_{name}") for name in ("ladder", "newstest2014", "newstest2018", "wmt21_deen",
                                                              "wmt21_isen", "wmt21_jaen", "wmt21_ruen")},
    # Italian has no translations at hand.
    **{f"help_{pair}": Shipped(f"help_{pair}") for pair in ("caen", "esen", "euen", "fren", "glen", "pten")},
    "wmt_folder": Shipped("wmt_folder", {"folder": "{mirror}/wmt22/de-fr"}),
    **{f"wmt_part_{part.replace('/', '_')}": Shipped("wmt_part", {"corpus__part": part, **PART})
       for part in ("wmt21/cs-en/A-B", "wmt22/de-en/A-B", "wmt23/he-en/A-B", "wmt24/en-es")},
}  # fmt: skip
"""What can be run with the data at hand; sweeps (`atlas`, `help`, `study`) by their members."""
QUICK = ("demo", "europarl_csen_published", "gowda2021_table3")
"""Those of every change; the others are for a release."""
