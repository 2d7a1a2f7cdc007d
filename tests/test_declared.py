"""What components declare is what reports say of them; what they do not declare is unknown; signatures are not read."""

import json
import re
import shutil
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import pytest

from clirbench.columns import kind
from clirbench.errors import ConfigError
from clirbench.relevance.base import judged_by
from tests.conftest import Cli

SMALL = ("metric=[BLEU,MacroF1]", "engine=serial", "output.figures=[]")
# These say when they were made or where, or hold keys of the store, which are made of signatures.
APART = {"plan.tsv", "provenance.json", "manifest.json", "events.jsonl"}


@dataclass(frozen=True)
class Undeclared:
    """A rule that declares nothing, with a signature that names another."""

    judged_by: Any = "unknown"
    signature: str = "qrels:1"


def test_a_component_that_declares_nothing_is_unknown_and_named_after_its_class() -> None:
    assert (judged_by(object()), judged_by(Undeclared())) == ("unknown", "unknown")
    rule = Undeclared()
    assert kind(rule) == "Undeclared"


def test_an_unknown_judge_is_an_error_that_names_the_field_and_the_choices() -> None:
    with pytest.raises(
        ConfigError, match=r"Undeclared.judged_by='human' is not one of people, known_items, model, made, "
    ):
        judged_by(Undeclared("human"))


def program(cwd: Path, *arguments: str, module: str) -> str:
    """What the program prints; its files go to `cwd`."""
    done = Cli(cwd)(*arguments, module=module)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def without_signatures(folder: Path, printed: str) -> dict[str, str]:
    """Every text file of a run's folder and what it printed, less the signatures that stand in them."""
    found = {"(printed)": printed}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not APART & {path.name} and not any(part.startswith(".") for part in path.parts[-2:]):
            found[str(path.relative_to(folder))] = path.read_text(encoding="utf-8")
    columns = (
        json.loads((folder / "results.json").read_text())["columns"] if (folder / "results.json").is_file() else []
    )
    computed = [column for column in columns if column["origin"] == "computed"]
    texts = {text for column in computed for text in (column["signature"], *column["parts"])}
    for name, text in found.items():
        for signature in sorted(texts, key=len, reverse=True):
            text = text.replace(signature, "SIGNATURE").replace(escape(signature), "SIGNATURE")
        text = re.sub(r"(?m)^% \S+: .*$| Signature: \{\\small\\texttt\{.*\}\}\.", "", text)  # LaTeX escapes them
        text = re.sub(r"made \d{4}-\S+|\d+(\.\d+)? ?(s|ms|MB)\b", "", text)
        found[name] = re.sub(r"agreement of \S+ and", "agreement of RULE and", text)
    return found


def both(tmp_path: Path, *arguments: str, folder: str = "run") -> tuple[dict[str, str], dict[str, str]]:
    """The outputs of the program, and of the program that cannot read a signature; each in a folder of its own."""
    outputs = []
    for module in ("clirbench", "tests.hashed"):
        cwd = tmp_path / module
        cwd.mkdir(exist_ok=True)
        printed = program(cwd, *arguments, module=module)
        outputs.append(without_signatures(cwd / folder, printed.replace(str(cwd), "")))
    return outputs[0], outputs[1]


@pytest.mark.parametrize("run", ["judgments", "retrievers", "scores"])
def test_no_output_depends_on_what_a_signature_says(run: str, tmp_path: Path, small_folder: Path) -> None:
    """All files of a run are the same bytes, but for the signatures that are printed, where these are hashes."""
    scores = tmp_path / "scores.tsv"
    scores.write_text("system\tMINE\tPEOPLE\nevery2\t1\t.1\nevery3\t2\t.3\nevery5\t3\t.2\nevery9\t4\t.4\n")
    small = (f"folder={small_folder}", "topics.n=5", "relevance.k=3", "measures=[MAP,RBO]")
    arguments, column = {
        "judgments": (("+experiment=demo", "measures=[MAP,RBO]", "analysis=[correlation,differences]"), "MAP[qrels]"),
        "retrievers": ((*small, "retrieval@also=rank_bm25"), "MAP[rank_bm25]"),
        "scores": ((*small, f"scores.tables=[{scores}]", "scores.measures=[PEOPLE]"), "PEOPLE"),
    }[run]
    plain, hashed = both(tmp_path, *SMALL, *arguments, "hydra.run.dir=run")
    assert {name for name in plain.keys() | hashed.keys() if plain.get(name) != hashed.get(name)} == set()
    assert column in plain["systems.tsv"].split("\n")[0].split("\t")


def renamed(folder: Path) -> Path:
    """The same folder with other names of its systems: those of equal names count once where runs are pooled."""
    copy = Path(shutil.copytree(folder, folder.with_name("renamed")))
    for path in (copy / "systems").iterdir():
        path.rename(path.with_name(f"other-{path.name}"))
    return copy


def test_pooling_does_not_depend_on_what_a_signature_says(tmp_path: Path, small_folder: Path) -> None:
    for name, folder in (("a", small_folder), ("b", renamed(small_folder))):
        arguments = (f"folder={folder}", *SMALL, "topics.n=5", "relevance.k=3", "measures=[MAP]")
        both(tmp_path, *arguments, f"hydra.run.dir={name}", folder=name)
    plain, hashed = both(tmp_path, "pool", "a", "b", "--apart", "a,b", "--out", "pooled", folder="pooled")
    signatures = re.compile(r"[0-9a-f]{64}|<code>.*?</code>|`.*`")
    assert {n: signatures.sub("", t) for n, t in plain.items()} == {n: signatures.sub("", t) for n, t in hashed.items()}
    assert "MAP\tpseudo-relevance\tbm25\t2" in plain["(printed)"]


RULE = '''
from dataclasses import dataclass
from typing import ClassVar

from clirbench.types import Qrels


@dataclass(frozen=True)
class Mine:
    """People judged nearly everything that matches as relevant."""

    judged_by: ClassVar[str] = "people"
    signature: str = "mine:1"

    def judge(self, ideal, documents, topics):
        grades = {t.topic_id: dict.fromkeys(ideal.ranking(t.topic_id), 1) for t in topics}
        return Qrels({topic: found for topic, found in grades.items() if found})
'''


def test_a_rule_of_ones_own_that_people_judged_is_reported_so(cli: Cli, small_folder: Path) -> None:
    """It was called pseudo-relevance that comes from BM25, and its MAP was left out, because its signature does not
    begin with `qrels`.
    """
    (cli.cwd / "mine.py").write_text(RULE)
    (cli.cwd / "conf/relevance").mkdir(parents=True)
    (cli.cwd / "conf/relevance/mine.yaml").write_text("_target_: mine.Mine\n")
    run = (*SMALL, "relevance=mine", "measures=[MAP,nDCG]", "hydra.searchpath=[file://conf]")
    for n, folder in ((5, small_folder), (8, renamed(small_folder))):
        done = cli(f"folder={folder}", *run, f"topics.n={n}", f"hydra.run.dir=run{n}")
        assert done.returncode == 0, done.stderr
        results = json.loads((cli.cwd / f"run{n}/results.json").read_text())
        (column,) = (column for column in results["columns"] if column["name"] == "MAP")
        assert column["declared"]["judged_by"] == "people"
        assert (results["measure"], column["signature"].count("rel:mine:1")) == ("MAP", 1)
        report = (cli.cwd / f"run{n}/report.md").read_text()
        for text in (done.stdout, done.stderr, report, results["answer"], "".join(results["warnings"])):
            assert not re.search("pseudo|comes from|left out here|unknown", " ".join(text.split()))
    pooled = cli("pool", "run5", "run8", "--apart", "run5,run8", "--out", "pooled")
    assert "MAP\tpeople\tbm25\t2" in pooled.stdout, pooled.stderr
