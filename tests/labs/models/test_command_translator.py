"""The `command` translator: batches, files, retries, time-outs, counts, with real small programs."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clirbench.errors import AlignmentError, ConfigError, Problems, ResourceError
from clirbench.labs.models.command_translator import CommandTranslator
from clirbench.labs.models.detected import Detected
from clirbench.labs.models.translating.base import Translator, translate_lines
from clirbench.systems.checkpoints import CheckpointSystems
from tests.systems.sides import folder_corpus, write

HEAD = "import sys; lines = sys.stdin.read().split(chr(10))[:-1]\n"


def python(code: str) -> list[str]:
    return [sys.executable, "-c", HEAD + code]


def run(translator: CommandTranslator, lines: Sequence[str], model: Path | None = None) -> Sequence[str]:
    translator.check(model)
    with translator.loaded(model) as engine:
        return translate_lines(engine, lines, "test")


def test_lines_go_through_in_batches(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    code = f"open({str(calls)!r}, 'a').write(f'{{len(lines)}} ')\nfor line in lines: print(line.upper())"
    translator = CommandTranslator(python(code), batch_lines=2)
    assert isinstance(translator, Translator)
    assert run(translator, ["a", "b", "", "c\u2028d", "e\rf", "ß"]) == ["A", "B", "", "C\u2028D", "E\rF", "SS"]
    assert calls.read_text(encoding="utf-8") == "2 2 1 "


def test_a_string_is_split_without_a_shell(tmp_path: Path) -> None:
    assert run(CommandTranslator("sed 's/a b/$HOME; x/'"), ["a b"]) == ["$HOME; x"]
    assert run(CommandTranslator("tr a b | tr b '*'", shell=True), ["a b"]) == ["* *"]


def test_files_and_model_are_put_in_place(tmp_path: Path) -> None:
    model = tmp_path / "my model's.sed"
    model.write_text("s/x/y/\n", encoding="utf-8")
    translator = CommandTranslator("sed -f {model} {source}")
    assert run(translator, ["x {output}"], model) == ["y {output}"]
    assert run(CommandTranslator("sed -f {model} < {source} > {output}", shell=True), ["xx"], model) == ["yx"]
    awk = CommandTranslator(["awk", "-v", "m={model}", "{print $1}"])
    assert run(awk, ["x 1"], model) == ["x"]


def test_a_program_that_dies_in_the_middle() -> None:
    code = "for line in lines[:2]: print(line, flush=True)\n"
    code += "print('Ran out of memory', file=sys.stderr); sys.exit(7)"
    with pytest.raises(ResourceError, match=r"exit status 7; stderr ends: Ran out of memory"):
        run(CommandTranslator(python(code), retries=0), ["a", "b", "c"])


@pytest.mark.parametrize(("code", "count"), [("print('one')", 1), ("print('1\\n2\\n3\\n4')", 4), ("pass", 0)])
def test_too_few_and_too_many_lines(code: str, count: int) -> None:
    with pytest.raises(AlignmentError, match=f"3 source lines were given, {count} lines came back"):
        run(CommandTranslator(python(code), retries=0), ["a", "b", "c"])


def test_too_few_lines_of_a_pipe_name_the_broken_stage() -> None:
    """The last stage of a pipe ends well; what an earlier one said is in the error."""
    pipe = CommandTranslator("cat > /dev/null; (echo 'lt-proc: no such file' >&2; exit 1) | cat", shell=True, retries=0)
    with pytest.raises(
        AlignmentError, match="2 source lines were given, 0 lines came back.*ends: lt-proc: no such file"
    ):
        run(pipe, ["a", "b"])


def test_a_program_that_hangs() -> None:
    with pytest.raises(
        ResourceError, match=r"2 attempts failed, the last: ran out of time and was killed; stderr ends: waiting"
    ):
        run(CommandTranslator("echo waiting >&2; sleep 60", shell=True, timeout=0.3), ["a"])


def test_another_attempt_after_a_failed_call(tmp_path: Path) -> None:
    mark = tmp_path / "failed once"
    code = f"import os\nif not os.path.exists({str(mark)!r}): open({str(mark)!r}, 'w'); sys.exit(1)\nprint('fine')"
    assert run(CommandTranslator(python(code), retries=1), ["a"]) == ["fine"]
    mark.unlink()
    with pytest.raises(ResourceError, match="exit status 1"):
        run(CommandTranslator(python(code), retries=0), ["a"])


def test_an_output_that_is_not_utf8() -> None:
    with pytest.raises(ResourceError, match=r"output of command .*: line 2, byte 2: 0xff is not valid UTF-8"):
        run(CommandTranslator(python("sys.stdout.buffer.write(b'a\\nb\\xff\\n')"), retries=0), ["a", "b"])


def test_no_output_file() -> None:
    with pytest.raises(ResourceError, match=r"ended well but wrote no \{output\} file"):
        run(CommandTranslator("true {output}", retries=0), ["a"])


def test_missing_programs_are_found_before_the_work() -> None:
    with pytest.raises(ResourceError, match="no-such-program: no such program"):
        CommandTranslator("no-such-program --fast").check(None)


def test_a_model_must_have_a_place_and_a_place_a_model(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"has no \{model\}: every model would translate alike"):
        CommandTranslator("cat").check(tmp_path)
    with pytest.raises(ConfigError, match=r"asks for \{model\}, but no model"):
        CommandTranslator("cat {model}").check(None)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "command: is empty"),
        ({"command": ["cat"], "shell": True}, "one string was expected"),
        ({"command": "cat 'x"}, "cannot be split into arguments"),
        ({"command": "cat", "batch_lines": 0}, "batch_lines=0"),
        ({"command": "cat", "timeout": 0}, "timeout=0"),
        ({"command": "cat", "retries": -1}, "retries=-1"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CommandTranslator(**settings)


def test_the_content_of_scripts_and_models_is_part_of_the_fingerprint(tmp_path: Path) -> None:
    script, model = tmp_path / "mt.py", tmp_path / "m"
    script.write_text("1", encoding="utf-8")
    model.write_text("1", encoding="utf-8")
    translator = CommandTranslator(f"python {script} {{model}}")
    seen = {translator.fingerprint(model)}
    script.write_text("22", encoding="utf-8")
    seen.add(translator.fingerprint(model))
    model.write_text("22", encoding="utf-8")
    seen.add(translator.fingerprint(model))
    assert len(seen) == 3
    assert CommandTranslator("cat", version="2").signature != CommandTranslator("cat").signature


def test_models_of_a_sweep_are_checked_before_anything_runs(tmp_path: Path) -> None:
    corpus = folder_corpus(tmp_path / "d")
    for step in (20, 3):
        write(tmp_path / f"models/ckpt_{step}/rules.txt", [str(step)])
    settings: dict[str, Any] = {"model": f"{tmp_path}/models/ckpt_%step%", "cache": str(tmp_path / "cache")}
    found = CheckpointSystems(**settings, translator=CommandTranslator("cat {model}/rules.txt")).translations(corpus)
    assert [t.system for t in found] == ["step3", "step20"]
    with pytest.raises(ResourceError, match="no-such-program: no such program"):
        CheckpointSystems(**settings, translator=CommandTranslator("no-such-program {model}")).translations(corpus)
    with pytest.raises(Problems, match=r"neither model.bin .* but rules.txt") as caught:
        CheckpointSystems(**settings, translator=Detected()).translations(corpus)
    assert len(caught.value.errors) == 2
