"""Every number of a run's answer and decision, read from its folder and compared with the cells of its tables.

`differences` knows each sentence as a pattern whose numbers are named cells. What no pattern matches, or has other
digits than its cell, is returned. Nothing of clirbench is used: numbers are written here a second time.
"""

import csv
import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from math import isnan, nan
from pathlib import Path
from typing import Any

NAME = r"(?:.+?)"
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?![\w(])")
Row = Mapping[str, str]


def table(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def cell(row: Row, name: str) -> float:
    return float(row[name]) if row.get(name) else nan


def percent(tau: float) -> str:
    share = 50 * (1 + tau)
    if 99.5 <= share < 100 - 1e-9:
        return "over 99 %"
    return f"{share:.0f} %" if share >= 0.5 or share < 1e-9 else "under 1 %"


def decimals(value: float, digits: int = 3) -> str:
    if isnan(value):
        return "undefined"
    return re.sub(r"^(-?)0\.", r"\1.", f"{value:.{digits}f}")


def amount(value: float) -> str:
    return "under .001" if 0 < value < 0.0005 else decimals(value)


def chance(value: float) -> str:
    return "> .999" if value > 0.9995 else "< .001" if value < 0.0005 else decimals(value)


def p_value(value: float) -> str:
    return "p < .001" if value < 0.001 else f"p = {decimals(value)}"


class Folder:
    """The files of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results: dict[str, Any] = json.loads((path / "results.json").read_text(encoding="utf-8"))
        self.correlations = table(path / "correlations.tsv")
        self.rows = {(r["measure"], r["metric"]): r for r in self.correlations if r["coefficient"] == "kendall"}
        self.decision, self.picks = table(path / "decision.tsv"), table(path / "picks.tsv")
        self.by_reference = {(row["reference"], row["system"]): row for row in table(path / "references.tsv")}
        self.kinds = {(row["kind"], row["metric"]): row for row in table(path / "topic_kinds.tsv")}
        self.baseline = {row["system"]: row for row in table(path / "baseline.tsv")}
        self.systems = table(path / "systems.tsv")
        self.findings: list[dict[str, Any]] = self.results["findings"]

    def system(self, name: str) -> Row:
        return next(row for row in self.systems if row["system"] == name)

    def of(self, kind: str) -> Iterator[dict[str, Any]]:
        return (one for one in self.findings if one["kind"] == kind)


def differences(path: Path) -> list[str]:
    """What differs, in words; nothing where every number is its cell."""
    run = Folder(path)
    return [*_findings(run), *_answer(run), *_decision(run), *_plots(run), *_paper(run)]


def _same(where: str, value: object, text: str) -> Iterator[str]:
    if value is None or (isinstance(value, float) and isnan(value)):
        if text:
            yield f"{where}: {value} in results.json, {text} in the table"
    elif isinstance(value, bool | str) or not text:
        if str(value).lower() != text.lower():
            yield f"{where}: {value} in results.json, {text} in the table"
    elif float(text) != value:
        yield f"{where}: {value} in results.json, {text} in the table"


CELLS = {
    "tau": "value", "low": "ci_low", "high": "ci_high", "p_value": "p_value",
    "p_adjusted": "p_adjusted",
    "systems": "n_systems", "groups": "groups", "grade": "grade", "lowered": "lowered", "better_half": "better_half",
    "reliability": "reliability",
}  # fmt: skip


def _findings(run: Folder) -> Iterator[str]:
    """results.json against the tables, as numbers."""
    for found in [*run.of("agreement"), *run.of("second")]:
        row = run.rows[found["measure"], found["metric"]]
        for name, column in CELLS.items():
            yield from _same(f"{found['metric']} {name}", found[name], row[column])
    for found in run.of("noise"):
        rows = [row for row in run.rows.values() if row["measure"] == found["measure"]]
        if found["ceiling"] not in {cell(row, "ceiling") for row in rows}:
            yield f"ceiling {found['ceiling']} is in no row"
    pairs = {(row["measure"], row["metric"]): row for row in table(run.path / "separable_pairs.tsv")}
    for found in run.of("separable_pairs"):
        for name in ("pairs", "separable", "right", "others", "others_right", "p_value"):
            yield from _same(f"pairs {name}", found[name], pairs[found["measure"], found["metric"]][name])
    for found in run.of("range"):
        yield from _same("range", found["tau"], run.rows[run.results["measure"], found["metric"]]["better_half"])
    for mine, row in zip(run.results["decision"] or [], run.decision, strict=True):
        for name, value in mine.items():
            yield from _same(f"decision {row['system']} {name}", None if value == "" else value, row[name])
    for mine, row in zip(run.results["correlations"], run.correlations, strict=True):
        for name, value in mine.items():
            yield from _same(f"correlations {row['measure']} {row['metric']} {name}", value, row[name])


def _left(run: Folder, rest: str, patterns: Sequence[tuple[str, Sequence[str]]]) -> str:
    """A text without the sentences of these patterns that have the digits of their cells, and without names."""
    for pattern, texts in patterns:
        for found in re.finditer(pattern, rest):
            if list(found.groups()) == list(texts):
                rest = rest.replace(found.group(), "", 1)
    for name in sorted(_names(run), key=len, reverse=True):
        rest = rest.replace(name, "")
    return rest


def _answer(run: Folder) -> Iterator[str]:
    """Every sentence of the answer with a number is a pattern, with the digits of its cells."""
    rest = _left(run, run.results["answer"], [*_first(run), *_further(run)])
    if NUMBER.search(rest):
        yield f"numbers of the answer that are no cells: {rest!r}"
    agreements = list(run.of("agreement"))
    if agreements and rest == run.results["answer"]:
        yield f"no sentence is a pattern: {rest!r}"


def _names(run: Folder) -> set[str]:
    return (
        {row["system"] for row in run.systems}
        | set(run.systems[0] if run.systems else ())
        | {name for row in run.correlations for name in (row["measure"], row["metric"])}
    )


def _first(run: Folder) -> Iterator[tuple[str, Sequence[str]]]:
    found = next(run.of("agreement"), None)
    if found is None:
        return
    row, metric = run.rows[found["measure"], found["metric"]], re.escape(found["metric"])
    tau, lower, upper, groups = cell(row, "value"), cell(row, "ci_low"), cell(row, "ci_high"), int(row["groups"])
    nouns = "systems, if made independently|independent groups of systems|system groups, if independent"
    of = rf"(?:; {groups} (?:{nouns}))?"
    level, sure = row["scheme"].partition(",")[0], r", (\d+ %) confidence"
    if worse := found.get("worse"):
        row = run.kinds[f"reference {worse}", found["metric"]]
        tau, lower = cell(row, "tau"), cell(row, "low")
    pairs = (
        rf"{metric} orders (.+?) of (?:system )?pairs(?: between groups)? as .+? \(at least (.+?){sure}{of}\): .+?\."
    )
    yield pairs, (percent(tau), percent(lower), level)
    yield rf"{metric} orders all (\d+) pairs as .+? \(at least (.+?){sure}{of}\): .+?\.", (
        str(groups * (groups - 1) // 2), percent(lower), level,
    )  # fmt: skip
    yield r"All this assumes (\d+) (?:systems|groups) made independently\.", (str(groups),)
    yield rf"{metric} orders most pairs the wrong way \(at most (.+?) right{sure}\)\.", (percent(upper), level)
    yield rf"{metric} is close to a coin flip \(at most (.+?) right{sure}\)\.", (percent(upper), level)
    undecided = rf"{metric}: undecided for (?:systems|groups) beyond these (\d+)"
    yield rf"{undecided}\.", (str(groups),)
    yield rf"{undecided}; over (100) with these might show it to be above chance\.", (str(groups), "100")
    if found["groups_needed"]:
        needed = str(max(1 + groups, found["groups_needed"]))
        yield rf"{undecided}; about (\d+) with these might show it to be above chance\.", (str(groups), needed)
    topics, more = found["topics"], found["topics_to_add"]
    yield r"These (\d+) topics cannot rank the systems; add about (\d+)\.", (str(topics), str(more))
    yield r"These (\d+) topics cannot rank the systems; add many more\.", (str(topics),)


def _further(run: Folder) -> Iterator[tuple[str, Sequence[str]]]:
    for found in run.of("covariate"):
        right = str(found["right"]), str(found["pairs"])
        yield rf"{re.escape(found['metric'])} is right in (\d+) of (\d+) pairs, [^.]*\.", right
    for found in run.of("reference"):
        if "noisy" not in found:
            row = run.kinds[f"reference {found['by']}", found["metric"]]
            told = [percent(cell(row, of)) for of in ("tau", "low")]
            own = run.rows[run.results["measure"], found["metric"]]
            told_own = [percent(cell(own, of)) for of in ("value", "ci_low")]
            one = r"(\S+ %) \(at least (\S+ %)\)"
            yield rf"Grades .+? the worse of .+?: by .+? orders {one}; by .+?, {one}[^.]*\.", [*told_own, *told]
    for found in run.of("noise"):
        yield r"With these (\d+) topics, a perfect metric would order about (.+?) of pairs rightly\.", (
            str(found["topics"]), percent(found["ceiling"]),
        )  # fmt: skip
    for found in run.of("range"):
        tau = cell(run.rows[run.results["measure"], found["metric"]], "better_half")
        half = r"Among the better half of the systems .+? orders (\S+ %) of pairs"
        yield rf"{half}\.", (percent(tau),)
        top = cell(run.rows[run.results["measure"], found["metric"]], "better_half_ceiling")
        yield (
            rf"{half}; noise of the topics would hold a perfect metric to about (.+?%)\.",
            (percent(tau), percent(top)),
        )
    for found in run.of("separable_pairs"):
        told, every = (
            r"retrieval(?: by reference \S+)? can tell (\d+) apart",
            [str(found[name]) for name in ("systems", "pairs")],
        )
        of, sure = rf"Of these (\d+) {found['of']}' own (\d+) pairs", every[1:]
        if found["of"] == "groups":
            of = r"Of these systems' own (\d+) pairs \(first listed of each of (\d+) groups\)"
            every = sure = every[::-1]
        own = re.sub(r"Of these .+? own", "About these systems themselves, more is shown: of their", of)
        apart, right, *others = (str(found[name]) for name in ("separable", "right", "others_right", "others"))
        yield rf"{of}, {told}(?:, too few to judge a metric by)?\.", [*every, apart]
        more, rest = rf"{told}; .+? orders (\d+) rightly", r", and (\d+) of the (\d+) that noise may turn round"
        number = [str(len(pairs))] if len(pairs := table(run.path / "separable_pairs.tsv")) > 1 else []
        tried = r", corrected for (\d+) metrics" if number else ""
        for ends, last in ((r"\.", []), (rf"{rest}\.", others)):
            yield rf"{of}, {more}{ends}", [*every, apart, right, *last]
            yield rf"{own}, {more} \((p [<=] \.\d+) that luck does as well{tried}\){ends}", [
                *sure, apart, right, p_value(found["p_value"]), *number, *last,
            ]  # fmt: skip
    for found in run.of("queries"):
        count = re.findall(r"\d+", found["topics"])
        yield r"Topics are \D+(\d+) reference \w+, not people's queries(?:; by .+?)??\.(?= |$)", count
    for found in run.of("second"):
        row = run.rows[found["measure"], found["metric"]]
        yield (
            r"By .+?, .+? orders (.+?) \(at least (.+?)\)\.",
            (percent(cell(row, "value")), percent(cell(row, "ci_low"))),
        )
    for found in [*run.of("given"), *run.of("same step")]:
        if found["p_value"] is None:
            yield r"clirbench cannot tell whether a metric adds to .+?: (.+?)\.(?= |$)", (found["note"],)
        else:
            yield r"\((p [<=] \.\d+)\)\.", (p_value(found["p_value"]),)
    for found in run.of("training"):
        yield r"(?:C|.* c)heckpoints of \w+ runs?(?: \(.+?\), which)? cannot validate a metric for other runs\.", ()
        yield r"These are checkpoints of (\d+) training runs", (str(found["runs"]),)


def _decision(run: Folder) -> Iterator[str]:
    """Every sentence of the decision: its numbers are cells of decision.tsv, picks.tsv or baseline.tsv."""
    systems = {row["system"]: row for row in run.decision}
    picks = {row["metric"]: row for row in run.picks}
    for found in run.findings:
        sentence = found.get("sentence")
        if not sentence:
            continue
        cells: list[str] = []
        if found["kind"] == "recommendation" and "reason" in found:
            cells += NUMBER.findall(found["reason"])
        elif found["kind"] == "recommendation":
            cells += [str(len(run.decision)), str(len(run.decision) - len(found["systems"]))]
            by = found.get("by_other")
            rows = [systems[found["other"]], run.by_reference[by, found["first"]]] if by else []
            for row in rows or ([systems[found["nearest"]]] if "lead" in found else []):
                ends = {name: str(-cell(row, name) or 0.0) for name in ("difference_low", "difference_high")}
                cells += [amount(-cell(row, "difference")), *_ends(ends, "difference_high", "difference_low")]
            cells += _more(found["systems"]) + _more(found.get("tied", ()))
        elif found["kind"] == "monolingual":
            row, english = systems[found["system"]], cell(run.system("reference side"), found["measure"])
            share = cell(row, "of_english")
            cells += [amount(cell(row, "value")), amount(english), f"{100 * share:.0f}"]
            if abs(share * english - cell(row, "value")) > 1e-12:
                yield f"of_english is not value / reference side: {sentence}"
        elif found["kind"] == "choice":
            row = picks.get(found["metrics"][0], {})
            if found.get("by"):
                of = run.by_reference[found["by"], found["systems"][0]]
                ends = {"loss_low": "difference_high", "loss_high": "difference_low", "loss": "difference"}
                row = {name: str(-cell(of, column) or 0.0) for name, column in ends.items()}
            if "loss" in found:
                cells += [amount(cell(row, "loss")), *_ends(row, "loss_low", "loss_high")]
            cells += _more(found["systems"])
        elif found["kind"] == "rise":
            row = picks[found["metric"]]
            cells += ["1", chance(cell(row, "better")), *_ends(row, "better_low", "better_high")]
        elif found["kind"] == "baseline":
            for name in found["systems"]:
                row = run.baseline[name]
                cells += [amount(cell(row, "difference")), *_ends(row, "low", "high")]
                cells += [chance(cell(row, "p_better")), chance(cell(row, "p_loss")), str(int(cell(row, "n_topics")))]
                cells += [f"{cell(row, 'margin'):g}"]
            cells += [str(len(run.baseline)), str(len(found["systems"])), *_more(found["systems"])]
        elif found["kind"] not in ("near reference", "cheapest"):  # they have none
            yield f"a kind of sentence that no cell is known for: {sentence}"
        rest = sentence
        for name in sorted(_names(run), key=len, reverse=True):
            rest = rest.replace(name, "")
        for number in NUMBER.findall(rest):
            if number.lstrip("+") not in {part for text in cells for part in NUMBER.findall(text)}:
                yield f"{number} is no cell of {cells}: {sentence}"


def _paper(run: Folder) -> Iterator[str]:
    """paper.md: the sentences of the answer and the decision, and its table of metrics."""
    lines = (run.path / "paper.md").read_text(encoding="utf-8").replace("\\", "").split("\n")
    paragraph = lines[2]
    for found in run.findings:
        if found.get("sentence"):
            if found["sentence"] not in paragraph:
                yield f"paper.md: has no {found['sentence']!r}"
            paragraph = paragraph.replace(found["sentence"], "")
    rest = _left(run, paragraph.partition(" Computed with clirbench ")[0], [*_first(run), *_further(run)])
    if NUMBER.search(rest):
        yield f"numbers of paper.md that are no cells: {rest!r}"
    agreements = list(run.of("agreement"))
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][2:]
    if len(rows) != len(agreements):
        yield f"paper.md: {len(rows)} rows for {len(agreements)} metrics"
    for found, cells in zip(agreements, rows, strict=False):
        row = run.rows[found["measure"], found["metric"]]
        low, high, p = (cell(row, name) for name in ("ci_low", "ci_high", "p_adjusted"))
        texts = ["" if isnan(low) else decimals(end) for end in (low, high)]
        of_p = "" if isnan(p) else chance(p)
        wanted = [row["metric"], decimals(cell(row, "value")), *texts, of_p, row["grade"] or "not tested"]
        if cells != wanted:
            yield f"paper.md: {cells}, not {wanted}"


def _ends(row: Row, low: str, high: str) -> list[str]:
    return [decimals(cell(row, low)), decimals(cell(row, high))]


def _more(names: Sequence[str], most: int = 6) -> list[str]:
    return [str(len(names) - most)] if len(names) > most + 1 else []


def _plots(run: Folder) -> Iterator[str]:
    """What stands above each plot: in the figures' labels, and in those of the page."""
    page = (run.path / "report.html").read_text(encoding="utf-8")
    for metric, measure, drawn in re.findall(
        r'data-metric="([^"]*)" data-measure="([^"]*)"[^>]*>(<svg.*?</svg>)', page, re.DOTALL
    ):
        heads = re.findall(r">tau ([^<]*)<", drawn)
        if heads and re.sub(r" [x?](?= |$)", "", heads[0]) != _head(
            run.rows[html.unescape(measure), html.unescape(metric)]
        ):
            yield f"report.html: {measure}, {metric}: {heads}"
    for measure in dict.fromkeys(measure for measure, _ in run.rows):
        stem = "".join(c if c.isalnum() or c in "@.-+" else "_" for c in measure).strip("_")
        path = run.path / "figures" / f"{stem}.svg"
        labels = re.findall(r">tau ([^<]*)<", path.read_text(encoding="utf-8")) if path.is_file() else []
        heads = {_head(row) for (of, _), row in run.rows.items() if of == measure}
        for label in labels:
            if re.sub(r" [x?](?= |$)", "", label) not in heads:
                yield f"{path.name}: {label} is no tau of {measure}: {sorted(heads)}"


def _head(row: Row) -> str:
    """`.667 [.15, .89]`."""
    low, high = cell(row, "ci_low"), cell(row, "ci_high")
    return decimals(cell(row, "value")) + ("" if isnan(low) else f" [{decimals(low, 2)}, {decimals(high, 2)}]")
