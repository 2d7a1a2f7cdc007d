"""What users write, as Hydra must read it."""

from pathlib import Path

import pytest

from clirbench.configuration.advice import how_to_quote, mentioned_experiment, spell_for_hydra


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("metric=[BLEU,chrF2]", "metric=[BLEU,chrF2]"),
        ("retrieval@also=dense", "retrieval@also_retrieval=dense"),
        ("+retrieval@also.two=fusion", "+retrieval@also_retrieval.two=fusion"),
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
