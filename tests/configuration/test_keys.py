"""What users write: keys and values, as Hydra must read them, and files; what is wrong is named."""

from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir

from clirbench.configuration.advice import how_to_quote, mentioned_experiment, spell_for_hydra, unknown_keys
from clirbench.configuration.building import build, limits_of
from clirbench.configuration.composing import compose_configuration
from clirbench.errors import ConfigError
from clirbench.keys import defaults, problems
from clirbench.result import Experiment
from clirbench.text import Limits


def test_defaults_are_of_their_kind_and_those_of_an_experiment_and_of_the_limits() -> None:
    assert list(problems(defaults())) == []
    cfg = compose_configuration(["+experiment=folder", "folder=x"])
    made = build(cfg)
    assert limits_of(cfg) == Limits()
    parts = {
        name: getattr(made, name)
        for name in ("corpus", "systems", "topics", "retriever", "relevance", "metrics", "measures", "second_topics")
    }
    assert made == Experiment("folder", made.engine, **parts, analyses=made.analyses, languages=made.languages)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("measures", 5, "measures=5 must be a list of names, [A,B]: IR measures"),
        ("measures", [True], "measures="),
        ("analysis", 3, "analysis=3 must be a list of names"),
        ("seed", "x", "seed='x' must be a whole number of at least 0"),
        ("seed", True, "seed=True"),
        ("check", "yes", "check='yes' must be true or false"),
        ("documents", 3, "documents=3 must be a mapping: its keys are documents.size"),
        ("scores", {"rename": ["a"]}, "scores.rename="),
        ("folder", True, "folder=True must be a text"),
    ],
)
def test_values_of_another_kind(name: str, value: Any, said: str) -> None:
    (error,) = problems({name: value})
    assert str(error).startswith(said)


def test_one_name_is_a_list_of_one_and_null_is_nothing() -> None:
    assert list(problems({"analysis": "choice", "measures": None, "title": 2024, "pair": ["a", 7]})) == []


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("+foo=1", "there is no key 'foo'"),
        ("+seeed=1", "Type seed=1"),
        ("++documents.siz=4", "Did you mean 'documents.size'? Keys there: documents.size"),
        ("+topic.n=10", "Type topics.n=10"),
        ("+corelation.alpha=.1", "Type correlation.alpha=.1"),
        ("+scores.measure=[MAP]", "Did you mean 'scores.measures'?"),
    ],
)
def test_keys_that_a_run_does_not_have(override: str, said: str) -> None:
    (error,) = unknown_keys([override])
    assert said in str(error)


def test_the_closest_key_of_what_is_chosen() -> None:
    with pytest.raises(ConfigError, match=r"there is no key 'relevance.kk'\. Did you mean 'relevance.k'\?"):
        compose_configuration(["relevance.kk=3"])


def test_keys_that_it_has() -> None:
    overrides = ["+experiment=demo", "seed=1", "++scores.rename.a=b", "+metric.BLEU.x=1", "relevance@also=qrels"]
    assert list(unknown_keys([*overrides, "hydra.run.dir=x", "~topics"])) == []


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("metric=[BLEU,chrF2]", "metric=[BLEU,chrF2]"),
        ("retrieval@also=dense", "retrieval@also_retrieval=dense"),
        ("+retrieval@also.two=dense", "+retrieval@also_retrieval.two=dense"),
        ("--multirun", "--multirun"),
        ("experiment=demo", "+experiment=demo"),
        ("title=größe", 'title="größe"'),
    ],
)
def test_what_users_write_is_what_hydra_reads(written: str, read: str) -> None:
    assert spell_for_hydra(written) == read


def test_the_home_folder_is_written_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert spell_for_hydra("folder=~/mt") == f'folder="{tmp_path}/mt"'


def test_the_experiment_that_is_spoken_of() -> None:
    assert [mentioned_experiment(o) for o in (["folder=x"], ["scores.tables=[x]"], ["seed=1"])] == [
        "folder",
        "scores",
        "demo",
    ]


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("measures=[RBO(p=0.9)]", ["RBO(p=0.9)"]),
        ("measures=[MAP,RBO(p=0.9),nDCG(cutoff=10, judged_only=True)]",
         ["MAP", "RBO(p=0.9)", "nDCG(cutoff=10, judged_only=True)"]),
        ("measures=[MAP, RBO(p=0.9)]", ["MAP", "RBO(p=0.9)"]),
        ("folder=/a,b(c", "/a,b(c"),
        ("folder=/a=b/c", "/a=b/c"),
    ],
)  # fmt: skip
def test_the_quotes_that_are_advised_are_read(written: str, values: object) -> None:
    from hydra.core.override_parser.overrides_parser import OverridesParser

    read = OverridesParser.create().parse_override(how_to_quote(written).partition(": '")[2][:-1]).value()
    assert (list(map(str, read)) if isinstance(read, list) else str(read)) == values


DEEP = ((b"[", 1_000_000), (b"{a: ", 100_000), (b"- ", 100_000), (b"? ", 100_000))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"name: x\nfolder: [a\n", "mine.yaml, line 3: is no configuration: "),
        (b"name: x\n  folder: a\n", "mine.yaml, line 2: is no configuration: mapping values are not allowed"),
        (b"name: x\nfolder: *a\n", "mine.yaml, line 2: is no configuration: found undefined alias"),
        (b"name: x\nname: y\n", "mine.yaml, line 2: is no configuration: found duplicate key name"),
        (b"name: x\nfolder: !mine a\n", "mine.yaml, line 2: is no configuration: could not determine a constructor"),
        (b"name: x\nfolder: \xff\n", "mine.yaml: is no configuration: invalid start byte"),
        (b"name: x\nfolder: \x07\n", "mine.yaml: is no configuration: special characters are not allowed"),
        *(
            pytest.param(sign * n, "mine.yaml: is no configuration: it is nested too deep", id=f"{n} {sign!r}")
            for sign, n in DEEP
        ),
        (b"name: x\nfolder: ${a\n", "mine.yaml: is no configuration: "),
        (b"- a\n", "mine.yaml: is no configuration: it has a list"),
        (b"7\n", "mine.yaml: is no configuration: Invalid loaded object type: int"),
        (b"defaults: 7\n", "mine.yaml"),
        (b"defaults: [7]\n", "mine.yaml"),
    ],
)
def test_a_file_that_is_no_configuration_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "mine.yaml").write_bytes(content)
    with initialize_config_dir(str(tmp_path), version_base="1.3"), pytest.raises(ConfigError) as raised:
        compose("mine")
    assert f"{tmp_path}/{said}" in str(raised.value)
