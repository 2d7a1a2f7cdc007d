"""Random values for every key of a run: it is built, or refused in one clear line."""

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from clirbench.configuration.building import build
from clirbench.configuration.composing import CONF, prepare_overrides
from clirbench.experiment import run
from clirbench.keys import KEYS, NODES
from tests.conftest import put
from tests.fuzz.budget import INPUTS, SEED, few_calls, refused

VALUES = (
    "0", "1", "-1", "3", "1e308", "-1e400", "nan", "inf", "true", "false", "null", "x", "BLEU", "MAP", "[]", "[1,2]",
    "[true]", "[null]", "[[a]]", "[a,b]", "[a,a]", "{}", "{a:1}", "{a:{b:c}}", "[{a:1}]", "'${seed}'", "'${nowhere}'",
    "'${oc.env:NOWHERE}'", '"a b"', '"\\t"', "'\x1b[31m'", "''", "x" * 3000, "[" * 200 + "]" * 200, "9" * 20,
    "{_target_: os.getcwd}", "{_target_: nowhere.at.all}", "{_target_: 3}", "???", "1_5", "0x10", "é", "/", "..", "a=b",
)  # fmt: skip

QUICK, REST = range(INPUTS // 40), range(INPUTS // 40, INPUTS // 20)


def dotted(node: Any, name: str = "") -> Iterator[str]:
    if isinstance(node, Mapping):
        for key, child in node.items():
            yield from dotted(child, f"{name}.{key}" if name else str(key))
    if name:
        yield name


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    print(f"CLIRBENCH_FUZZ_SEED={SEED}")
    rows = "system\tBLEU\tTER\tMAP\na\t1\t3\t.1\nb\t2\t1\t.3\nc\t3\t2\t.2\n"
    return put(tmp_path_factory.mktemp("scores") / "s.tsv", rows)


@pytest.mark.parametrize("numbers", [QUICK, pytest.param(REST, marks=pytest.mark.release)], ids=str)
def test_any_value_of_any_key_is_taken_or_refused(table: Path, numbers: range) -> None:
    scores = ["+experiment=scores", f"scores.tables=[{table}]", "scores.measures=[MAP]"]
    own = [key.name for key in KEYS]
    with initialize_config_dir(str(CONF), version_base="1.3"):
        demo = OmegaConf.to_container(compose("config", overrides=["+experiment=demo"]))
        names = sorted(name for name in dotted(demo) if name.partition(".")[0] in NODES)
        counts = {False: 0, True: 0}
        for number in numbers:
            draw = random.Random(f"{SEED} overrides {number}")
            alone = draw.random() < 0.6
            name, value = draw.choice(own if alone else names), draw.choice(VALUES)
            text = f"{draw.choice(('', '', '', '+', '++', '~'))}{name}{draw.choice(('', '', '', '.new'))}={value}"

            def tried(text: str = text, alone: bool = alone) -> None:
                cfg = compose(
                    "config", overrides=prepare_overrides([*(scores if alone else ["+experiment=demo"]), text])
                )
                with few_calls():
                    made = build(cfg)
                    if alone and made.corpus is None:
                        run(made)

            counts[refused(f"CLIRBENCH_FUZZ_SEED={SEED} number {number}: {text[:200]!r}", tried)] += 1
    assert min(counts.values()) > len(numbers) // 100, counts
