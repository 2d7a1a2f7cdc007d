"""The one list of what can run code is whole: whatever starts programs or opens connections is on it."""

import ast
import re

from clirbench.configuration.building import listed_components
from clirbench.configuration.composing import CONF
from tests.test_architecture import SOURCES, imports

OPENS = re.compile(r"subprocess|clirbench\.labs\.models\.program|urllib\.request|http\.client|ray|dask")
TARGETS, REACHES = listed_components(CONF)
SHIPPED = {f"clirbench.labs.models.{name}" for name in ("dense.Dense", "dense.encoder", "systems.scripted")}
"""They start only scripts that come with the program, which read models of the folder that is named."""


def opens(module: str) -> bool:
    source = SOURCES[module.removeprefix("clirbench.")]
    named = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    return any(OPENS.fullmatch(name) for name in imports(source)) or bool({"ray", "distributed"} & named)


def test_each_component_that_starts_programs_or_connects_is_listed() -> None:
    found = {target for target in TARGETS if opens(target.rpartition(".")[0])}
    assert len(found) > 5
    assert found - SHIPPED <= set(REACHES)
    assert found >= SHIPPED


def test_what_is_listed_is_what_conf_names() -> None:
    assert set(REACHES) <= TARGETS
