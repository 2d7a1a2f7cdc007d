"""The keywords of `cb.run` for editors and type checkers are those that there are."""

import importlib.util
from pathlib import Path

from clirbench.api.components import LABELLED, NAMES, ONE, PLAIN, SEVERAL

ROOT = Path(__file__).resolve().parents[2]


def test_the_keywords_are_written_again_where_a_key_is_new() -> None:
    spec = importlib.util.spec_from_file_location("generated_keys", ROOT / "docs" / "generator" / "keys.py")
    assert spec is not None
    assert spec.loader is not None
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    written = (ROOT / "clirbench" / "api" / "keys.pyi").read_text(encoding="utf-8")
    assert written == generator.content(), "run python docs/generator/keys.py"
    typed = {line.strip().partition(":")[0] for line in generator.lines()}
    assert {*ONE, *LABELLED, *SEVERAL, *NAMES, *PLAIN} <= typed
    assert {"topics__n", "metric__COMET__path", "scores__lower_is_better", "folder"} <= typed
