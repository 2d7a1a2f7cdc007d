"""What components declare is what reports say of them; what they do not declare is unknown; signatures are not read."""

import json
import pkgutil
import re
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import import_module
from inspect import getmembers, isclass
from pathlib import Path
from typing import Any

import pytest

import clirbench as cb
from clirbench.columns import kind
from clirbench.errors import ConfigError
from clirbench.relevance.base import judged_by
from clirbench.scoreboard import Column
from tests.conftest import Cli, put, write_lines


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


def hash_signatures(patch: pytest.MonkeyPatch) -> None:
    """Of every component, by its property, and of every column that is computed: not even parts can be read."""
    for room in ("metrics", "measures", "relevance", "retrieval", "topics"):
        package = import_module(f"clirbench.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for _, part in getmembers(import_module(module.name), isclass):
                signature = vars(part).get("signature")
                if isinstance(signature, property) and part.__module__ == module.name:
                    patch.setattr(part, "signature", property(lambda self, of=signature.fget: hashed(of(self))))

    def column(*values: Any, **named: Any) -> Column:
        made = Column(*values, **named)
        return replace(made, signature=hashed(made.signature), parts=tuple(map(hashed, made.parts)))

    patch.setattr("clirbench.columns.Column", column)


def hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def said(made: "cb.Outcome") -> str:
    """All that a run gives, less the signatures."""
    results = {name: made.results[name] for name in made.results if name not in ("columns", "set_up", "name")}
    text = json.dumps([results, {name: made.tables[name].to_csv() for name in made.tables}], default=str)
    computed = [column for column in made.results["columns"] if column["origin"] == "computed"]
    signatures = {part for column in computed for part in (column["signature"], *column["parts"])}
    for signature in sorted(signatures, key=len, reverse=True):
        text = text.replace(signature, "SIGNATURE")
    return re.sub(r"agreement of \S+ and", "agreement of RULE and", text)


@pytest.mark.parametrize(
    ("experiment", "keys", "column"),
    [
        ("demo", {"measures": ["MAP", "RBO"], "analysis": ["correlation", "differences"]}, "MAP[qrels]"),
        ("folder", {"retrieval@also": "rank_bm25", "measures": ["MAP", "RBO"]}, "MAP[rank_bm25]"),
        ("folder", {"scores.tables": ["scores.tsv"], "scores.measures": ["PEOPLE"]}, "PEOPLE"),
    ],
    ids=["judgments", "retrievers", "scores"],
)
def test_no_output_depends_on_what_a_signature_says(
    experiment: str,
    keys: dict[str, Any],
    column: str,
    tmp_path: Path,
    small_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A run whose signatures are hashes gives the same, but for the signatures that it prints."""
    monkeypatch.chdir(tmp_path)
    rows = ["system\tMINE\tPEOPLE", "every2\t1\t.1", "every3\t2\t.3", "every5\t3\t.2", "every9\t4\t.4"]
    write_lines(tmp_path / "scores.tsv", rows)
    own = {"folder": str(small_folder), "topics.n": 5, "relevance.k": 3} if experiment == "folder" else {}
    settings: dict[str, Any] = {"metric": ["BLEU", "MacroF1"], "engine": "serial", **own, **keys}
    plain = cb.run(experiment, **settings, **{"paths.cache": "plain"})
    hash_signatures(monkeypatch)
    assert said(cb.run(experiment, **settings, **{"paths.cache": "hashed"})) == said(plain)
    assert column in plain.systems


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
    put(cli.cwd / "conf/relevance/mine.yaml", "_target_: mine.Mine\n")
    keys = ("relevance=mine", "measures=[MAP,nDCG]", "metric=[BLEU,MacroF1]", "topics.n=5", "engine=serial")
    done = cli.succeed(f"folder={small_folder}", *keys, "hydra.searchpath=[file://conf]", "hydra.run.dir=run")
    results = json.loads((cli.cwd / "run/results.json").read_text())
    (column,) = (column for column in results["columns"] if column["name"] == "MAP")
    assert column["declared"]["judged_by"] == "people"
    assert (results["measure"], column["signature"].count("rel:mine:1")) == ("MAP", 1)
    report = (cli.cwd / "run/report.md").read_text()
    for text in (done.stdout, done.stderr, report, results["answer"], "".join(results["warnings"])):
        assert not re.search("pseudo|comes from|left out here|unknown", " ".join(text.split()))
