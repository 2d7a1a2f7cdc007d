"""Small folders of MT outputs in made-up sentences: a plan of words, written in three languages, spoilt by seed."""

import gzip
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

WORDS = {
    "en": """old quiet narrow green expensive broken famous empty warm distant
        farmer river market bridge doctor school letter garden train harbour village winter council engine teacher
        island kitchen forest museum soldier window mountain library merchant
        visited repaired painted described crossed opened guarded sold measured closed
        yesterday often slowly again twice alone early finally""",
    "B": """ancient calm narrow green costly damaged famous vacant mild remote
        farmer stream market bridge physician school letter garden train port village winter board motor teacher island
        kitchen woods museum soldier window hill library trader
        toured mended painted depicted crossed opened watched traded measured shut
        yesterday frequently slowly again twice alone soon finally""",
    "de": """alte stille enge grüne teure kaputte berühmte leere warme ferne
        Bauer Fluss Markt Brücke Arzt Schule Brief Garten Zug Hafen Dorf Winter Rat Motor Lehrer Insel
        Küche Wald Museum Soldat Fenster Berg Bibliothek Händler
        besuchte reparierte malte beschrieb überquerte öffnete bewachte verkaufte maß schloss
        gestern oft langsam wieder zweimal allein früh endlich""",
    "zh": """古老的 安静的 狭窄的 绿色的 昂贵的 破碎的 著名的 空荡的 温暖的 遥远的
        农民 河流 市场 桥梁 医生 学校 信件 花园 火车 港口 村庄 冬天 议会 引擎 教师 岛屿
        厨房 森林 博物馆 士兵 窗户 山脉 图书馆 商人
        参观了 修理了 画了 描述了 穿过了 打开了 守卫了 卖掉了 测量了 关闭了
        昨天 经常 慢慢地 再次 两次 独自 提早 终于""",
}
LEXICON = {language: words.split() for language, words in WORDS.items()}
KINDS = {"A": range(0, 10), "N": range(10, 34), "V": range(34, 44), "T": range(44, 52)}
"""Adjectives, nouns, verbs, adverbs: their places in every lexicon."""
THE = {"en": "the", "B": "the", "de": "der", "zh": ""}
NEAR = {"en": "near", "B": "beside", "de": "neben", "zh": "在"}
AT_THE = -1
AT_NEAR = -2

Plan = list[int]
"""A sentence: places in the lexicon, `AT_THE` and `AT_NEAR`."""


def plans(n: int, per_document: int, chosen: random.Random) -> list[Plan]:
    """Sentences; those of one document share three of their nouns."""

    def one(kind: str) -> int:
        return chosen.choice(KINDS[kind])

    made = []
    for line in range(n):
        if line % per_document == 0:
            topic = chosen.sample(KINDS["N"], 3)
        first, other = chosen.sample(topic, 2)
        plan = [AT_THE, one("A"), first, one("V"), AT_THE, one("N"), AT_NEAR, AT_THE, one("A"), other, one("T")]
        made.append(plan if chosen.random() < 0.8 else [*plan, one("V"), AT_THE, one("N")])
    return made


def written(plan: Plan, language: str) -> str:
    """The sentence in a language."""
    words = [{AT_THE: THE[language], AT_NEAR: NEAR[language]}.get(at) or word(at, language) for at in plan]
    if language == "zh":
        return "".join(words) + "。"
    text = " ".join(words)
    return text[:1].upper() + text[1:] + "."


def word(at: int, language: str) -> str:
    return "" if at < 0 else LEXICON[language][at]


def spoilt(plan: Plan, rate: float, taste: int, language: str, chosen: random.Random) -> str:
    """A translation with errors: at `rate` a word is wrong, lost, left in German, said in other words or out of place.

    `taste` says which of these a system makes more often than others.
    """
    words: list[str] = []
    for at in plan:
        text = written([at], language).rstrip(".。").lower() if language != "zh" else written([at], language)[:-1]
        if chosen.random() < rate:
            kind = chosen.choice([0, 1, 2, 3, 4, taste % 5, taste % 5])
            group = next((places for places in KINDS.values() if at in places), KINDS["T"])
            text = (
                word(chosen.choice(group), language),
                "",
                word(at, "de"),
                word(at, "B" if language == "en" else language),
                words.pop() if words else "",
            )[kind]
        words.append(text)
    if language == "zh":
        return "".join(words) + "。"
    text = " ".join(filter(None, words))
    return text[:1].upper() + text[1:] + "."


@dataclass(frozen=True)
class Folder:
    """A folder in the layout of docs/how-to: what it holds, and what is odd about it.

    `files`: further files, or others in their place, by name; a text or its lines. `copies`: {COPY: ORIGINAL}, which
    may be `reference`. `spoil`: {SYSTEM: {line from 0: its text}}, where line -1 is all lines. `distinct`: so many
    lines, which then come again.
    """

    systems: int | Sequence[str] = 8
    lines: int = 40
    per_document: int = 4
    docs: bool = True
    source: bool = True
    references: Sequence[str] = ("en",)
    language: str = "en"
    gz: bool = False
    distinct: int = 0
    worst: float = 0.5
    flat: bool = False
    copies: Mapping[str, str] = field(default_factory=dict)
    spoil: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    files: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    seed: int = 0

    @property
    def names(self) -> list[str]:
        """The systems, the best first."""
        named = self.systems
        return [f"s{chr(97 + i)}" for i in range(named)] if isinstance(named, int) else list(named)

    def write(self, folder: Path) -> None:
        """Write the folder."""
        planned = plans(self.lines, self.per_document, random.Random(self.seed))
        if self.distinct:
            planned = [planned[line % self.distinct] for line in range(self.lines)]
        found: dict[str, str | Sequence[str]] = {}
        if self.source:
            found["source.txt"] = [written(plan, "de") for plan in planned]
        for name, kind in zip("ABC", self.references, strict=False):
            lines = [written(plan, kind) for plan in planned]
            found["reference.txt" if len(self.references) == 1 else f"reference-{name}.txt"] = lines
        if self.docs:
            rows = (f"{line + 1}\tdoc{line // self.per_document:02d}" for line in range(self.lines))
            found["docs.tsv"] = ["line\tdoc_id", *rows]
        names = self.names
        for i, name in enumerate(names):
            rate = self.worst * (0.5 if self.flat else (i + 1) / len(names))
            chosen = random.Random(f"{self.seed} {i}")
            found[f"systems/{name}.txt"] = [spoilt(plan, rate, i, self.language, chosen) for plan in planned]
        for copy, original in self.copies.items():
            found[f"systems/{copy}.txt"] = found.get(f"systems/{original}.txt") or found["reference.txt"]
        for name, changes in self.spoil.items():
            lines = list(found[f"systems/{name}.txt"])
            found[f"systems/{name}.txt"] = [changes.get(at, changes.get(-1, line)) for at, line in enumerate(lines)]
        for name, content in (found | dict(self.files)).items():
            text = content if isinstance(content, str) else "".join(f"{line}\n" for line in content)
            path = folder / f"{name}{'.gz' if self.gz and '/' in name else ''}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode())


def table(*columns: Sequence[object]) -> list[str]:
    """The lines of a TSV file: each column with its name first."""
    return ["\t".join(map(str, row)) for row in zip(*columns, strict=True)]


def topics(n: int, first: int = 0) -> list[str]:
    """A table of n topics, two nouns each."""
    nouns = [LEXICON["en"][at] for at in KINDS["N"]]
    asked = [f"{a} {b}" for a, b in pairwise([*nouns[first:], *nouns[:first], *nouns])][:n]
    return table(["topic_id", *(f"q{i}" for i in range(n))], ["title", *asked])


def judgments(folder: Folder, n: int, lost: int = 0) -> list[str]:
    """A qrels file by the plans alone: grade 2 where a document has both nouns of a topic, 1 where it has one.

    The last `lost` topics have no relevant document.
    """
    planned = plans(folder.lines, folder.per_document, random.Random(folder.seed))
    rows = []
    for line in topics(n)[1:]:
        topic, asked = line.split("\t")
        wanted = [LEXICON["en"].index(noun) for noun in asked.split()]
        for at in range(0, folder.lines, folder.per_document):
            words = {word for plan in planned[at : at + folder.per_document] for word in plan}
            grade = 0 if int(topic[1:]) >= n - lost else sum(noun in words for noun in wanted)
            rows.append(f"{topic} 0 doc{at // folder.per_document:02d} {grade}")
    return rows
