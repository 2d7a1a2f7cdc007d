"""Texts that programs make: shard by shard, resumed, blank lines, chains, systems that fail, what it costs."""

import logging
import os
import time
from pathlib import Path
from typing import Any

import pytest

from clirbench.corpora.folder import FolderCorpus
from clirbench.engines.local import Processes
from clirbench.errors import ConfigError, InputError, Problems, ResourceError, StoreError
from clirbench.labs.models.program import MODEL, Chain, Program
from clirbench.labs.models.systems import chain, commands, openai, scripted
from clirbench.labs.models.translating import (
    MachineText,
    Translator,
    Translators,
    machine_texts,
    read_shard,
    translations,
    write_shard,
)  # fmt: skip
from clirbench.systems.base import OfModels, SystemSource
from clirbench.systems.checkpoints import CheckpointSystems
from clirbench.types import EMPTY
from tests.labs.models.made_up import listed, make, noted, program, python, sh, texts
from tests.systems.sides import GERMAN, folder_corpus, two_sided, write
from tests.systems.test_pending import LONG_AGO

LOUD = tuple(line.upper() for line in GERMAN)


def test_both_sides_are_translated_by_one_program_and_blank_lines_are_not_given(tmp_path: Path) -> None:
    (one,), errors = make(listed(two_sided(tmp_path), tmp_path / "cache", a=program(tmp_path / "log")))
    assert not errors
    assert one.test is not None
    assert one.collection is not None
    assert (one.test.lines(), one.collection.lines()) == (("GUTEN MORGEN", "GUTE NACHT"), LOUD)
    assert noted(tmp_path / "log") == ["guten Morgen", "gute Nacht", *filter(None, GERMAN)]
    assert b"".join(one.collection.blocks(1)) == b"".join(one.collection.blocks())
    assert not list((tmp_path / "cache").rglob("*.part"))


def test_a_rerun_does_what_is_missing(tmp_path: Path) -> None:
    corpus, cache, log = folder_corpus(tmp_path / "d"), tmp_path / "cache", tmp_path / "log"
    first, _ = make(listed(corpus, cache, a=program(log)))
    assert first[0].test is first[0].collection  # one text for both sides is translated once
    assert noted(log) == [line for line in GERMAN if line]
    log.unlink()
    second, _ = make(listed(corpus, cache, renamed=program(log)))
    assert noted(log) == []
    assert [*texts(first).values()] == [*texts(second).values()]
    changed = [*GERMAN[:4], "ein blaues Buch"]
    write(tmp_path / "d" / "source.txt", changed)
    make(listed(folder_corpus(tmp_path / "d", source=tuple(changed)), cache, a=program(log)))
    assert noted(log) == ["ein blaues Buch"]


def test_a_failing_system_does_not_stop_the_others_and_keeps_what_came_back(tmp_path: Path) -> None:
    corpus, cache, log = folder_corpus(tmp_path / "d"), tmp_path / "cache", tmp_path / "log"
    broken = "line.upper() if 'Haus' not in line else sys.exit('no Haus')"
    rows: list[tuple[str, str, str]] = []
    found, errors = make(listed(corpus, cache, bad=program(log, broken), good=Program("cat")), rows=rows)
    assert list(errors) == ["bad"]
    assert "bad: not translated: command " in errors["bad"]
    assert errors["bad"].endswith("exit status 1; stderr ends: no Haus")
    assert texts(found) == {"bad": None, "good": GERMAN}
    assert sum("no Haus" in why for _, _, why in rows) == 3  # its shards
    (kept,) = (path.with_suffix(".txt") for path in cache.rglob("*.part"))
    assert not kept.exists()
    assert len(list(cache.rglob("*.txt"))) == 1 + 3
    with pytest.raises(Problems, match="no Haus\n.*exit status 3"):
        make(listed(corpus, cache, a=program(log, broken), b=sh("exit 3")))


def test_a_damaged_shard_is_made_again_and_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    corpus, cache, log = folder_corpus(tmp_path / "d"), tmp_path / "cache", tmp_path / "log"
    (one,), _ = make(listed(corpus, cache, a=program(log)))
    text = one.collection
    assert isinstance(text, MachineText)
    text.paths[1].write_bytes(text.paths[1].read_bytes()[:-2])
    with pytest.raises(ResourceError, match="shard 2 of 3 is missing or damaged"):
        text.lines()
    log.unlink()
    with caplog.at_level(logging.WARNING):
        make(listed(corpus, cache, a=program(log)))
    assert "is damaged: its lines are translated again" in caplog.text
    assert noted(log) == ["wo ist das Haus"]
    assert text.lines() == LOUD


def test_a_store_that_cannot_be_written_ends_the_run(tmp_path: Path) -> None:
    write(tmp_path / "cache", ["a file"])
    with pytest.raises(StoreError, match="cannot be kept"):
        make(listed(folder_corpus(tmp_path / "d"), tmp_path / "cache", a=program(tmp_path / "log"), b=Program("rev")))


def test_a_source_that_changed_meanwhile_is_not_kept_under_the_old_name(tmp_path: Path) -> None:
    found = listed(folder_corpus(tmp_path / "d"), tmp_path / "cache", a=Program("cat"), b=Program("rev"))
    assert list(Translators().files(found))
    write(tmp_path / "d" / "source.txt", [*GERMAN[:4], "ein blaues Buch"])
    with pytest.raises(Problems, match="lines 5 to 5: changed while this run was reading it"):
        make(found)


def test_workers_of_an_engine_make_a_system_each(tmp_path: Path) -> None:
    found, errors = make(
        listed(folder_corpus(tmp_path / "d"), tmp_path / "cache", bad=sh("exit 3"), good=program(tmp_path / "log")),
        Processes(2).pmap,
    )
    assert texts(found) == {"bad": None, "good": LOUD}
    assert "exit status 3" in errors["bad"]
    write(tmp_path / "no", ["a file"])
    with pytest.raises(StoreError, match="cannot be kept"):
        make(listed(folder_corpus(tmp_path / "d"), tmp_path / "no", a=Program("cat")), Processes(2).pmap)


def test_two_runs_at_once_lose_nothing(tmp_path: Path) -> None:
    """The other run has the file of lines; this one does without it."""
    import fcntl

    corpus, cache = folder_corpus(tmp_path / "d"), tmp_path / "cache"
    found = listed(corpus, cache, a=program(tmp_path / "log"))
    (text,) = machine_texts(found)
    part = text.paths[0].with_suffix(".part")
    part.parent.mkdir(parents=True)
    with part.open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        held.write(b"DER HU")
        held.flush()
        assert texts(make(found)[0]) == {"a": LOUD}


# Chains


def test_a_chain_is_a_pipe_that_fails_where_one_program_does(tmp_path: Path) -> None:
    corpus, cache, log = folder_corpus(tmp_path / "d"), tmp_path / "cache", tmp_path / "log"

    def chained(*programs: Program) -> Program:
        return Chain(programs=programs)

    found, errors = make(listed(corpus, cache, up=chained(program(log, "line[::-1]"), Program("tr a-z A-Z"))))
    assert not errors
    assert (texts(found)["up"] or ())[4] == "HCUB SETOR NIE"
    assert noted(log) == [line for line in GERMAN if line]
    silent, broken = sh("cat > /dev/null; echo no dictionary >&2"), sh("head -n 1; echo lost >&2; exit 3")
    with pytest.raises(Problems, match=r"(?s)cat . command sh: 4 .*0 lines came .*no dictionary\n.*status 3.*lost"):
        make(listed(corpus, cache, a=chained(Program("cat"), silent), b=chained(broken, Program("cat"))))
    with pytest.raises(Problems, match=r"(?s)step 1 of 3: .*no-such-program.*step 3 of 3: .*no-other-program"):
        listed(corpus, cache, a=chain(["no-such-program", "cat", "no-other-program"]).program)


def test_documents_are_cut_into_sentences_and_joined_after_the_last_step(tmp_path: Path) -> None:
    pytest.importorskip("sentencex", reason="SENTENCEX ABSENT: documents are not cut into sentences")
    formats = pytest.importorskip("clirbench.labs.formats.documents", reason="needs the laboratory formats")
    from clirbench.corpora.sentences import SentenceSplitter

    (tmp_path / "docs.jsonl").write_text('{"id": "1", "text": "Ein Haus. Ein Hund."}\n{"id": "2", "text": "Ja."}\n')
    reader = formats.JsonDocuments(("text",))
    corpus = formats.DocumentsCorpus(reader, source=tmp_path / "docs.jsonl", sentences=SentenceSplitter("de")).read()
    log = tmp_path / "log"
    found, _ = make(listed(corpus, tmp_path / "cache", a=Chain(programs=(program(log), Program("sed s/$/!/")))))
    assert texts(found)["a"] == ("EIN HAUS.! EIN HUND.!", "JA.!")
    assert noted(log) == ["Ein Haus.", "Ein Hund.", "Ja."]


# Systems


def test_systems_by_name() -> None:
    made = commands({"direct": {"apertium": "spa-eng"}, "via": {"apertium": ["spa-cat", "cat-eng"]}, "own": "rev",
                     "mended": {"chain": [{"apertium": "spa-eng"}, "sed s/a/b/"]}})  # fmt: skip
    assert isinstance(made, SystemSource)
    assert {name: one.kind for name, one in made.named.items()} == {
        "direct": "rules", "via": "rules", "own": "command", "mended": "rules",
    }  # fmt: skip
    through, mended = made.named["via"], made.named["mended"]
    assert isinstance(through, Chain)
    assert isinstance(mended, Chain)
    assert [p.settings and p.settings["pair"] for p in through.programs] == ["spa-cat", "cat-eng"]
    assert mended.programs[0] == made.named["direct"]
    assert isinstance(chain(["rev", "rev"]), OfModels)


URL = "http://127.0.0.1:1/v1"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (commands, "no command; for example"),
        (lambda: commands({"a": "cat"}, versions={"b": "2"}), "names systems without a command: b"),
        (lambda: commands({"a": {"pipe": ["cat", "cat"]}}), r"a: a command was expected, \{chain"),
        (lambda: commands({"a": {"chain": "cat"}}), "two or more commands"),
        (lambda: commands({"a": {"apertium": ["spa-eng"]}}), "two or more commands"),
        (lambda: commands({"a": "cat"}, shard_lines=0), "shard_lines=0"),
        (openai, "no model or no server"),
        (lambda: openai(URL, {"a": {"promt": "x"}}), "systems.models.a='promt' is not one of .* mean 'prompt'"),
        (lambda: scripted("through_files"), "script='through_files' is not one of ct2, hf"),
    ],
)  # fmt: skip
def test_settings_that_make_no_sense(build: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        build()


def test_names_that_are_no_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"systems.commands: the name 'a/b' holds a slash"):
        commands({"a/b": "rev"}).translations(folder_corpus(tmp_path / "d"))


def test_models_of_a_sweep_are_listed_and_checked_but_not_run(tmp_path: Path) -> None:
    corpus = folder_corpus(tmp_path / "d")
    for step in (20, 3):
        write(tmp_path / f"models/ckpt_{step}/rules.txt", [f"s/a/{step}/"])
    settings: dict[str, Any] = {"model": f"{tmp_path}/models/ckpt_%step%", "cache": str(tmp_path / "cache")}
    sed = chain([f"sed -f {MODEL}/rules.txt", "cat"])
    found = CheckpointSystems(**settings, translator=sed).translations(corpus)
    assert [(t.system, dict(t.metadata)) for t in found] == [("step3", {"step": "3"}), ("step20", {"step": "20"})]
    (kept,) = CheckpointSystems(**settings, translator=sed, include=["step*"], exclude=["*20"]).translations(corpus)
    assert kept.system == "step3"
    assert not (tmp_path / "cache").exists()
    assert texts(make(tuple(found))[0])["step3"] == tuple(line.replace("a", "3", 1) for line in GERMAN)
    with pytest.raises(ResourceError, match="no-such-program: no such program"):
        CheckpointSystems(**settings, translator=Translator(Program("no-such-program {model}"))).translations(corpus)
    with pytest.raises(ConfigError, match=r"no \{model\} in it"):
        CheckpointSystems(**settings, translator=Translator(Program("cat"))).translations(corpus)
    with pytest.raises(InputError, match="the source side is needed: put source.txt"):
        CheckpointSystems(**settings, translator=sed).translations(folder_corpus(tmp_path / "e", source=None))
    write(tmp_path / "models/ckpt_4/rules.txt", ["s/a/3/"])
    with pytest.raises(InputError, match=r"ckpt_3, \S+ckpt_4: these 2 systems are one: the same content"):
        CheckpointSystems(**settings, translator=sed).translations(corpus)


def test_a_model_that_is_still_saved(tmp_path: Path) -> None:
    for step, age in ((1, LONG_AGO), (2, int(time.time()))):
        file = write(tmp_path / f"ckpt_{step}" / "weights", ("x",))
        for path in (file, file.parent):
            os.utime(path, (age, age))
    one = Translator(Program("cat {model}/weights"))
    systems = CheckpointSystems(model=f"{tmp_path}/ckpt_%step%", translator=one, unfinished="skip")
    found = systems.translations(folder_corpus(tmp_path / "d"))
    assert [t.pending.rpartition(": ")[2] for t in found] == ["", "touched just now"]


def test_a_model_that_vanished_is_the_failure_of_one_system(tmp_path: Path) -> None:
    sed = Program(f"sed -f {MODEL}")
    model = write(tmp_path / "m", ["s/a/x/"])
    corpus = folder_corpus(tmp_path / "d")
    systems = [("gone", sed, tmp_path / "gone", EMPTY), ("good", sed, model, EMPTY)]
    with pytest.raises(InputError, match="gone: no such file"):
        translations(corpus, systems, str(tmp_path / "cache"), 2)
    write(tmp_path / "gone", ["x"])
    found = translations(corpus, systems, str(tmp_path / "cache"), 2)
    (tmp_path / "gone").unlink()
    for text in machine_texts(found):
        text.__dict__.pop("paths", None)  # as a worker on another machine has it
    made, errors = make(found)
    assert list(errors) == ["gone"]
    assert texts(made)["good"] is not None


# What comes back

SOURCE = tuple(f"Zeile {n}" for n in range(38)) + ("", " ")
"""40 lines, 38 of them with text."""


@pytest.mark.parametrize(("n_empty", "fails", "noted"), [(1, False, False), (2, False, True), (19, False, True),
                                                         (20, True, False)])  # fmt: skip
def test_empty_answers_are_noted_and_many_are_an_error(tmp_path: Path, n_empty: int, fails: bool, noted: bool) -> None:
    """Of 38 lines with text, 1 is less than 5 %, 2 are more; 19 are half, 20 are more than half."""
    write(tmp_path / "reference.txt", [f"line {n}" for n in range(40)])
    write(tmp_path / "source.txt", SOURCE)
    corpus = FolderCorpus(str(tmp_path)).read()
    silent = python(f"for line in lines: print('' if line and int(line.split()[1]) < {n_empty} else line)")
    for _ in range(2):  # what is kept says what was said when it was made
        found, errors = make(listed(corpus, tmp_path / "cache", 10, good=Program("cat"), bad=silent))
        notes = list(Translators().notes(found))
        assert [f"{n_empty} of 38 lines with text came back empty" in why for why in errors.values()] == [True] * fails
        assert [f"{n_empty} of 38 lines with text came back empty" in note for note in notes] == [True] * noted


@pytest.mark.parametrize("damage", [b"", b"x", b"\xff\n"])
def test_a_shard_is_there_whole_or_not_at_all(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "a" / "shard.txt"
    write_shard(path, ["a\u2028b", ""])
    assert read_shard(path, 2) == "a\u2028b\n\n".encode()
    assert read_shard(path, 3) is None
    path.write_bytes(damage)
    assert read_shard(path) is None
    assert read_shard(tmp_path) is None
