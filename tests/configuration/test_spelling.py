"""What users write, as Hydra must read it."""

import re
from pathlib import Path

import pytest

from clirbench.configuration.advice import mentioned_experiment, spell_for_hydra, with_quotes
from clirbench.configuration.composing import config_parts

METRICS = config_parts("metric")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("metric=[chrF++]", "metric=[chrFpp]"),
        ("metric=chrF++", "metric=chrFpp"),
        ('metric=[BLEU,"chrF++",TER]', "metric=[BLEU,chrFpp,TER]"),
        ("metric=[METEOR(nltk),BLEU+1]", "metric=[METEOR,BLEUplus1]"),
        ("metric=[BLEU++]", "metric=[BLEU++]"),
        ("metric=[BLEU,chrF2]", "metric=[BLEU,chrF2]"),
        ("given=[chrF++]", "given=[chrF++]"),
        ("retrieval@also=dense", "retrieval@also_retrieval=dense"),
        ("+retrieval@also.two=fusion", "+retrieval@also_retrieval.two=fusion"),
        ("--multirun", "--multirun"),
    ],
)
def test_printed_names_are_accepted(written: str, read: str) -> None:
    assert spell_for_hydra(written, METRICS) == read


def test_every_metric_answers_to_the_name_that_it_prints() -> None:
    for path in (path for folder in METRICS for path in folder.glob("*.yaml")):
        found = re.search(r"^  name: (\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        printed = found[1] if found else path.stem
        assert spell_for_hydra(f"metric=[{printed}]", METRICS) in (f"metric=[{path.stem}]", f"metric=[{printed}]")
        if not any((folder / f"{printed}.yaml").is_file() for folder in METRICS):
            assert spell_for_hydra(f"metric=[{printed}]", METRICS) == f"metric=[{path.stem}]"


def test_the_home_folder_is_written_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert spell_for_hydra("folder=~/mt", METRICS) == f'folder="{tmp_path}/mt"'


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

    read = OverridesParser.create().parse_override(with_quotes(written)).value()
    assert (list(map(str, read)) if isinstance(read, list) else str(read)) == values
