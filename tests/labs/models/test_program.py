"""Programs: what goes in and comes out, how they fail, that nothing of them stays behind, and what they are."""

import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from clirbench.errors import AlignmentError, ClirbenchError, ConfigError, InputError, ResourceError
from clirbench.labs.models.program import Program, content_fingerprint, preset
from tests.engines.test_engines import alive
from tests.labs.models.made_up import python, run, sh
from tests.waiting import wait_until


def test_lines_go_in_and_come_out_in_their_order() -> None:
    lines = ["a", "c\u2028d", "e\rf", "ß", "x\ny", *map(str, range(50_000))]
    assert run(Program("cat"), lines) == [line.replace("\n", " ") for line in lines]
    assert run(Program("sed 's/a b/$HOME; x/'"), ["a b"]) == ["$HOME; x"]
    assert run(sh("echo $GREETING", environment={"GREETING": "hi"}), ["a"]) == ["hi"]
    assert run(sh("printf 1"), ["a"]) == ["1"]


def test_a_model_is_put_in_its_place(tmp_path: Path) -> None:
    model = tmp_path / "my model's.sed"
    model.write_text("s/x/y/\n", encoding="utf-8")
    assert run(Program("sed -f {model}"), ["x"], model) == ["y"]
    with pytest.raises(ConfigError, match=r"asks for \{model\}, but no model"):
        Program("cat {model}").check(None)


FAILS: list[tuple[Any, type[ClirbenchError], str]] = [
    (python("print(lines[0], flush=True); print('Ran out', file=sys.stderr); sys.exit(7)"),
     ResourceError, "exit status 7; stderr ends: Ran out"),
    (sh("kill -9 $$"), ResourceError, "killed by SIGKILL; nothing on stderr"),
    (sh("printf 'a\\n\\033[31mlast\\n\\n' >&2; exit 1"), ResourceError, r"ends: a / \[31mlast$"),
    (python("print(1)"), AlignmentError, "3 source lines were given, 1 lines came back"),
    (python("print('1\\n2\\n3\\n4')"), AlignmentError, "3 source lines were given, 4 lines came back"),
    (sh("cat > /dev/null; (echo 'lt-proc: no file' >&2; exit 1) | cat"), AlignmentError, "0 lines .*ends: lt-proc: no"),
    (sh("echo waiting >&2; sleep 60", timeout=0.3), ResourceError, "ran out of time and was killed; .*waiting"),
    (python("sys.stdout.buffer.write(b'a\\nb\\xff\\nc\\n')"), ResourceError, "line 2, byte 2: 0xff is not valid UTF-8"),
    (Program("no-such-program --fast"), ResourceError, "no-such-program: no such program"),
    (Program("cat", about="sh -c 'echo no dictionary >&2; exit 1'"), ResourceError, "command cat: no dictionary"),
]  # fmt: skip


@pytest.mark.parametrize(("program", "kind", "message"), FAILS, ids=[str(row[2])[:30] for row in FAILS])
def test_what_goes_wrong_is_named(program: Program, kind: type[ClirbenchError], message: str) -> None:
    with pytest.raises(kind, match=message):
        run(program, ["a", "b", "c"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"command": ""}, "command: is empty"),
        ({"command": "cat 'x"}, "cannot be split into arguments"),
        ({"command": "cat", "timeout": 0}, "timeout=0"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Program(**settings)


@pytest.mark.parametrize("trap", ["", "trap '' TERM; "])
def test_nothing_of_a_program_stays_behind(tmp_path: Path, trap: str) -> None:
    pids = tmp_path / "pids"
    lingers = sh(f"{trap}sleep 60 & echo $$ $! > {pids}; cat; wait", timeout=30)
    with pytest.raises(KeyboardInterrupt), lingers.started() as child:  # noqa: PT012
        child.feed(["a"], last=False)
        assert child.read() == "a"
        raise KeyboardInterrupt
    wait_until(lambda: not any(map(alive, pids.read_text().split())))


def test_a_program_ends_with_a_killed_run(tmp_path: Path) -> None:
    pids = tmp_path / "pid"
    code = (
        "import os; from clirbench.labs.models.program import Program\n"
        f"with Program(['sh', '-c', 'echo $$ > {pids}; exec cat']).started() as child:\n"
        "    child.feed(['a'], last=False); child.read(); os.kill(os.getpid(), 9)"
    )
    os.spawnl(os.P_WAIT, sys.executable, sys.executable, "-c", code)
    wait_until(lambda: not any(map(alive, pids.read_text().split())))


def test_the_time_of_a_program_is_that_of_all_that_it_started() -> None:
    # It lives on a moment: what ends while it is counted is seen in neither of two places.
    busy = "import time\nfor _ in range(10**7): pass\nprint(1, flush=True)\ntime.sleep(1)"
    with sh(f"{sys.executable} -c '{busy}'; cat").started() as child:
        child.feed([], last=False)
        child.read()
        assert child.seconds() > 0.05  # some tenths, in hundredths
        child.process.stdin.close()  # type: ignore[union-attr]
        child.process.wait()
        assert child.seconds() >= 0.2


def test_a_copy_elsewhere_is_the_same_model_and_every_change_is_seen(tmp_path: Path) -> None:
    first = tmp_path / "ckpt_1"
    (first / "sub").mkdir(parents=True)
    (first / "model.bin").write_bytes(b"weights")
    (first / "sub" / "vocab.txt").write_bytes(b"a\nb\n")
    copy = Path(shutil.copytree(first, tmp_path / "ckpt_2"))
    os.utime(copy / "model.bin", (1, 1))
    (copy / ".log").write_text("hidden files are no part of it", encoding="utf-8")
    assert content_fingerprint(copy) == content_fingerprint(first)
    seen = {content_fingerprint(first)}
    (copy / "model.bin").write_bytes(b"WEIGHTS")
    seen.add(content_fingerprint(copy))
    (copy / "sub" / "vocab.txt").rename(copy / "sub" / "vocabulary.txt")
    seen.add(content_fingerprint(copy))
    (copy / "link").symlink_to(first / "model.bin")
    seen.add(content_fingerprint(copy))
    assert len(seen) == 4
    for wrong in ("nowhere", "ckpt_2/gone"):
        (copy / "gone").unlink(missing_ok=True)
        (copy / "gone").symlink_to(tmp_path / "nothing")
        with pytest.raises(InputError, match="no such file|cannot be read"):
            content_fingerprint(tmp_path / wrong)


def test_a_settled_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file := tmp_path / "weights").write_bytes(b"x")
    found = content_fingerprint(file)
    monkeypatch.setattr("clirbench.files.run_files.time.time_ns", lambda now=time.time_ns: now() + 10**10)
    assert content_fingerprint(file) == found
    monkeypatch.setattr("clirbench.labs.models.program._sha256", lambda path: pytest.fail("read again"))
    assert content_fingerprint(file) == found


def test_a_program_is_its_words_its_files_its_model_and_what_it_says(tmp_path: Path) -> None:
    script, model, told = tmp_path / "mt.py", tmp_path / "m", tmp_path / "told"
    program = Program(f"python {script} {{model}}", about=["cat", str(told)])
    seen = set()
    for changed in (script, script, model, told, None):
        for path in (script, model, told):
            path.write_text(f"{len(seen) if path == changed else ''}", encoding="utf-8")
        from clirbench.labs.models.program import _about

        _about.cache_clear()
        seen.add(program.identity(model))
    assert len(seen) == 5
    others = [Program("cat"), Program("cat", version="2"), Program("cat", environment={"A": "1"}), Program("cat -u")]
    assert len({other.identity() for other in others}) == 4
    copy = Path(shutil.copy(script, tmp_path / "copy.py"))
    assert Program(["python", str(script)]).identity() == Program(["python", str(copy)]).identity()


def test_no_key_of_a_server_is_in_a_message_or_an_argument() -> None:
    for wrong in (
        {"key": "sk-very-secret"},
        {"url": "http://me:sk-very-secret@h/v1"},
        {"url": "http://h?sk-very-secret"},
    ):
        with pytest.raises(ConfigError, match="environment variable") as caught:
            preset("openai", "server", **wrong)
        assert "secret" not in str(caught.value)
