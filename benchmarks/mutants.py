"""Do tests notice a wrong number? 22 faults, each put into a copy of the checkout: does a test fail, and which?

    python -m benchmarks.mutants
    python -m benchmarks.mutants --only columns 3
    python -m benchmarks.mutants --list
    python -m benchmarks.mutants --net           the small folders of tests/net alone

A fault is a slip that people make; it changes numbers that users read, without an error. It is found by its text,
wherever the module is; where that text is rewritten, rewrite the line here and keep the fault. The module's own test
file runs first (tests mirror the package), then test files of its users: a part of `make test`, no more.
"""

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
USERS = {
    "coefficients": ("test_correlation", "test_p_values", "test_robustness", "test_aggregate"),
    "rbo": ("test_rankings", "test_parsing", "test_multiverse"),
    "types": ("test_rankings", "test_rbp", "test_aqwv", "test_bm25", "test_fusion", "test_qrels"),
    "columns": ("test_counters", "test_running", "test_metadata", "test_score_tables", "test_gate"),
    "experiment": ("test_counters", "test_running", "test_pending", "test_untranslated", "test_facts"),
}
"""Test files, by name, that use a module."""


MUTANTS = """
coefficients: a tie counts as discordant: side="[-right-]{+left+}").reshape
coefficients: a tied system precedes itself: / (tied.sum() * [-(tied.sum() - 1)-]{+tied.sum()+})
coefficients: estimate and truth are swapped: form = (_above_weights([-x-]{+y+}), _better([-y-]{+x+}))
coefficients: 9 systems are no longer enumerated: if p_value == "exact" and n [-<=-]{+<+} ENUMERATED
coefficients: a hole in one column is kept: both = ~(np.isnan(x) [-|-]{+&+} np.isnan(y))
rbo: the reference side is not cut at depth: y = ranked_documents(ideal, topic_id)[-[: self.depth]-]{++}
rbo: the residual is measured from EXT: return maximum(curve, self.p) - [-minimum-]{+extrapolated+}(curve, self.p)
rbo: ties are read after they are broken: run.values(topic_id[-, tied=True-]{++})[: self.depth]
rbo: one untied item makes all untied: if (cut <= 1).[-all-]{+any+}() else
types: documents tied with the last are lost: np.flatnonzero(scores [->=-]{+>+} threshold)
types: ties by doc_id descending: np.lexsort(([-ordinals-]{+-ordinals+}, -values))
types: grade 0 is relevant: any(grade [->-]{+>=+} 0 for grade in grades.values())
types: the inverse permutation: rank[[-order] = np.arange(len(order))-]{+:] = order+}
columns: a metric's direction is dropped: [-metric.higher_is_better-]{+True+},
columns: scores go to other systems: dict(zip([-imported.systems-]{+sorted(imported.systems)+}, column
columns: every measure is a plain mean: [-measure.aggregate(per_topic)-]{+per_topic.mean(axis=-1)+}.tolist()
columns: people's judgments count as pseudo-relevance: != "pseudo-relevance"[- and not measure.uses_qrels-]{++}
columns: computed measures come first: in ([-*columns, *computed.columns-]{+*computed.columns, *columns+}) if
experiment: a score is rounded too early: key: [-float(score[0])-]{+round(float(score[0]), 2)+} for key
experiment: topics for documents: name: Judged(rule.judge(ideal, english, topics), ideal, len([-english-]{+topics+}))
experiment: a share of the list, not of all matches: (topic_id)) / [-matched[topic_id]-]{+len(ideal.ranking(topic_id))+}
experiment: unmatched topics count as unjudged: left = {[-*unmatched, -]{++}*judged.topic_ids}
"""
"""Module, fault, and the change as `git diff --word-diff` shows it; what is there before occurs once in the package."""

NET = "tests/net/test_net.py::test_every_table_of_a_small_folder"


class Mutant(NamedTuple):
    """A fault of a module: `old` becomes `new`."""

    module: str
    fault: str
    old: str
    new: str

    @classmethod
    def read(cls, line: str) -> "Mutant":
        module, fault, change = line.split(": ", 2)
        old, new = (re.sub(r"\[-(.*?)-\]\{\+(.*?)\+\}", side, change) for side in (r"\1", r"\2"))
        return cls(module, fault, old, new)

    def source(self, root: Path) -> Path:
        """The file with the mutant's text; `SystemExit` where the text does not occur exactly once."""
        texts = {path: path.read_text(encoding="utf-8").count(self.old) for path in (root / "clirbench").rglob("*.py")}
        if sum(texts.values()) != 1:
            raise SystemExit(f"{self.module}, {self.fault}: {self.old!r} occurs {sum(texts.values())} times, not once")
        return max(texts, key=lambda path: texts[path])

    def tests(self, root: Path, net: bool = False) -> dict[str, list[Path]]:
        """The module's own test file, if there is one, and those of its users; or the net."""
        if net:
            return {"own": [], "other": [root / NET]}
        source = self.source(root)
        own = root / "tests" / source.relative_to(root / "clirbench").with_name(f"test_{source.name}")
        files = sorted((root / "tests").rglob("test_*.py"))
        users = [path for path in files if path.stem in USERS[self.module] and path != own]
        return {"own": [path for path in files if path == own], "other": users}


def copied(folder: Path) -> Path:
    """A copy of the checkout, with the real data beside it where tests look for them."""
    ignored = shutil.ignore_patterns(".*", "runs", "dist", "__pycache__")
    if (ROOT.parent / "shared").exists():
        (folder / "shared").symlink_to((ROOT.parent / "shared").resolve())
    return shutil.copytree(ROOT, folder / "copy", ignore=ignored)


def failing_test(files: list[Path], root: Path) -> str:
    """The first test that fails, or nothing."""
    # What hangs is ended; a busy machine is no mutant.
    options = ["-x", "-n", "0", "-q", "-m", "not slow and not release", "-p", "no:cacheprovider", "--timeout=900"]
    command = [sys.executable, "-m", "pytest", *options, *map(str, files)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", done.stdout, re.MULTILINE)
    if done.returncode and not failed:
        raise SystemExit(done.stdout + done.stderr)
    return failed[1].removeprefix("tests/") if failed else ""


def write(source: Path, text: str) -> None:
    """Write a module and remove what was compiled of it, which Python knows by size and whole seconds alone."""
    source.write_text(text, encoding="utf-8")
    Path(importlib.util.cache_from_source(str(source))).unlink(missing_ok=True)


def verdict(mutant: Mutant, root: Path, net: bool = False) -> tuple[str, str]:
    """`own`, `other` or `survived`, and the test that failed."""
    source, tests = mutant.source(root), mutant.tests(root, net)
    text = source.read_text(encoding="utf-8")
    write(source, text.replace(mutant.old, mutant.new))
    try:
        for whose, files in tests.items():
            if files and (test := failing_test(files, root)):
                return whose, test
        return "survived", ""
    finally:
        write(source, text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", help="modules, or numbers of mutants")
    parser.add_argument("--net", action="store_true", help="with the net alone")
    parser.add_argument("--list", action="store_true", help="the mutants and where they are")
    options = parser.parse_args()
    listed = dict(enumerate(map(Mutant.read, MUTANTS.strip().splitlines()), 1))
    chosen = {n: m for n, m in listed.items() if not options.only or {str(n), m.module} & {*options.only}}
    if options.list:
        for n, mutant in chosen.items():
            print(n, mutant.source(ROOT).relative_to(ROOT), *mutant[1:], sep="\t")
        return
    with tempfile.TemporaryDirectory() as folder:
        root = copied(Path(folder))
        for tests in {str(tests): tests for m in chosen.values() if (tests := m.tests(root, options.net))}.values():
            if test := failing_test([path for files in tests.values() for path in files], root):
                raise SystemExit(f"{test} fails without a mutant")
        counts = Counter[str]()
        for n, mutant in chosen.items():
            whose, test = verdict(mutant, root, options.net)
            counts[whose] += 1
            print(n, mutant.module, mutant.fault, whose, test, sep="\t", flush=True)
    print(f"{counts['own'] + counts['other']} of {len(chosen)} died, {counts['own']} by the module's own test file")


if __name__ == "__main__":
    main()
