"""Folders of runs that somebody else sent: nothing outside them is read, written or moved, and nothing is executed.

Files of a real run are damaged or made hostile, and sealed again now and then. Then the folder is loaded, saved,
compared, pooled, run again, verified, and used for a new run; of every eighth folder, with a damaged journal in it, a
watch makes its own. An audit hook of Python sees every file that is opened or moved and every program that would start.
"""

import io
import json
import math
import os
import random
import re
import shutil
import socket
import sys
import tempfile
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from copy import deepcopy
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import clirbench as cb
from clirbench.commands import compare, rerun, status, store
from clirbench.configuration import composing
from clirbench.files.run_files import MANIFEST, MARKER, read_provenance, seal
from tests.conftest import write_lines
from tests.fuzz.budget import SEED, refused
from tests.fuzz.mutation import mutated, replaced

FILES = (
    MARKER, "results.json", "provenance.json", "systems.tsv", "correlations.tsv", "per_topic.tsv", "plan.tsv", MANIFEST,
)  # fmt: skip
READ_BY = {
    "load": FILES[1:6],
    "save": FILES[:7],
    "compare": FILES[1:6],
    "pool": FILES[2:5],
    "rerun": ("provenance.json",),
    "new run": (MARKER, "plan.tsv"),
    "status": ("plan.tsv",),
    "store": ("plan.tsv",),
}
"""What each command reads: it is tried where one of these has been changed."""
MOVES = (
    "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.symlink", "os.link", "os.utime", "os.truncate",
    "os.chmod",
)  # fmt: skip
STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "socket.connect")


def of_laboratories(name: str) -> list[Any]:
    """The modules of this name in the tests of laboratories."""
    paths = sorted((Path(__file__).resolve().parents[1] / "labs").glob(f"*/{name}.py"))
    return [import_module(f"tests.labs.{path.parent.name}.{name}") for path in paths]


LABS = of_laboratories("run_folders")
"""What laboratories do with a run's folder and a journal in it: `NAME`, `JOURNAL`, `COMPOSES`, `look`."""
VERIFIERS = of_laboratories("sent_folders")
"""Commands of laboratories that compute such a folder again: `NAME`, `COMPOSES`, `Verifier`."""
READ_BY |= {lab.NAME: FILES for lab in VERIFIERS}
SHARE = 8
"""Of so many folders one is for laboratories too."""
QUICK, REST = range(40), [range(begin, begin + 500) for begin in range(0, 10_000, 500)]
"""The numbers of the changes of `make test`, and of the 20 parts of a release: 10,000 folders."""


class Watcher:
    """What Python did outside the places where it may write, and in a folder that nothing may touch."""

    def __init__(self, outside: Path, home: Path) -> None:
        self.outside = os.path.realpath(outside)
        self.homes = tuple(os.path.realpath(path) for path in (home, tempfile.gettempdir(), os.devnull))
        self.on = False
        self.inputs: set[str] = set()
        """What may be read there too: a folder names the texts that it is verified by."""
        self.seen: list[str] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event.startswith(STARTS):
            self.seen.append(f"{event} {arguments}")
        elif event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            place = os.path.realpath(os.fsdecode(arguments[0]))
            writes = bool((arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
            self.judge(event, place, writes)
        elif event in MOVES:
            for path in arguments[:2]:
                if isinstance(path, str | bytes | os.PathLike):
                    named = Path(os.fsdecode(path))  # a link is moved, not what it leads to
                    self.judge(event, f"{os.path.realpath(named.parent)}/{named.name}", True)

    def judge(self, event: str, place: str, writes: bool) -> None:
        ours = place.startswith(self.homes) or "__pycache__" in place  # a module may be imported for the first time
        if not writes and place in self.inputs:
            return
        if place.startswith(self.outside) or (writes and not ours):
            self.seen.append(f"{event} {place}")

    @contextmanager
    def watching(self) -> Iterator[None]:
        self.seen.clear()
        self.on = True
        try:
            yield
        finally:
            self.on = False


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, small_texts: Path) -> Iterator["World"]:
    before, home = Path.cwd(), tmp_path_factory.mktemp("sent")
    os.chdir(home)
    yield World(home, small_texts)
    os.chdir(before)


class World:
    """A finished run, another of a second collection, and a folder outside of which nothing may know."""

    def __init__(self, home: Path, texts: Path) -> None:
        self.home, self.run, self.sent = home, home / "run", home / "sent"
        self.outside = home.parent / f"{home.name}-outside"
        self.outside.mkdir()
        for name in ("first", "second"):
            shutil.copytree(texts, home / name)
            lines = (texts / "reference.txt").read_text().splitlines()
            for n in (4, 6, 7):  # fewer than five systems are not pooled
                dropped = [" ".join(w for i, w in enumerate(line.split()) if i % n) for line in lines]
                write_lines(home / name / "systems" / f"every{n}.txt", dropped)
        for path in (*(home / "second").glob("*.txt"), *(home / "second" / "systems").iterdir()):
            path.write_text("".join(path.read_text().splitlines(keepends=True)[::-1]))
        for path in list((home / "second" / "systems").iterdir()):  # collections of one set of systems are one
            path.rename(path.with_name(f"other-{path.name}"))
        settings: dict[str, Any] = {"metric": ["BLEU", "TypeCount"], "measures": ["RBO"], "topics": "keyterms",
                                    "topics__n": 6, "relevance__k": 2, "engine": "serial", "units": "none"}  # fmt: skip
        cb.run("folder", folder=home / "first", **settings).save(self.run)
        self.other = cb.run("folder", folder=home / "second", **settings).save(home / "other")
        self.loaded = cb.load(self.run)
        for name in (*FILES, "secret", ".bashrc", "figures/x.svg"):
            place = self.outside / name
            place.parent.mkdir(exist_ok=True)
            place.write_bytes((self.run / name).read_bytes() if (self.run / name).is_file() else b"secret\n")
        self.said = ""
        """What the last command printed."""
        self.journals: dict[str, bytes] = {}
        for lab in LABS:
            lab.look(home / "first", home / lab.NAME, home)
            self.journals[lab.NAME] = (home / lab.NAME / lab.JOURNAL).read_bytes()
        self.before = self.content()
        # Before the watcher, who then sees only what was let through.
        self.verifiers = {lab.NAME: lab.Verifier(home) for lab in VERIFIERS}
        self.watcher = Watcher(self.outside, home)
        sys.addaudithook(self.watcher)

    def content(self) -> dict[str, tuple[bytes, int]]:
        files = (path for path in self.outside.rglob("*") if path.is_file())
        return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}

    def hostile(self, draw: random.Random) -> Any:
        """A value that leads out of the folder, or that breaks readers."""
        names = ("secret", ".bashrc", "systems", "systems.tsv", "figures", "")
        name = draw.choice(names)
        return draw.choice((
            str(self.outside / name), f"../{self.outside.name}/{name}", f"./../{self.outside.name}/{name}",
            f"systems.tsv/../../{self.outside.name}/{name}", "..", ".", "", "/", "~/.bashrc", "a\0b", "x" * 5000,
            "\ud800", "\x1b[31m", None, True, -1, 1e308, 10**400, [], {}, [[]], {"_target_": "os.system"}, "1e999",
            "nan", "-inf", "1_5", "é", ".hydra",
        ))  # fmt: skip


def change(world: World, draw: random.Random) -> tuple[str, str]:
    """Change one file of the sent folder, or nothing; returns its name and the kind of the change."""
    name = draw.choice(FILES)
    path = world.sent / name
    kind = draw.choice(("bytes", "part", "part", "part", "link", "left", "nothing"))
    if kind == "bytes":
        path.write_bytes(mutated(draw, path.read_bytes()))
    elif kind == "part":
        hostile = world.hostile(draw)
        if path.suffix == ".json":
            text = json.dumps(replaced(draw, json.loads(path.read_text()), hostile))
            if draw.random() < 0.2:
                text = text.replace(": 0.", draw.choice((": 1e999", ": NaN", ": -Infinity")), 1)
            path.write_bytes(text.replace("{", '{"name": "x",', 1).encode() if draw.random() < 0.1 else text.encode())
        else:
            lines = path.read_text().split("\n")
            at = draw.randrange(len(lines))
            cells = lines[at].split("\t")
            cells[draw.randrange(len(cells))] = str(hostile)
            lines[at] = "\t".join(cells)
            path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    elif kind == "link":
        path = world.sent / draw.choice((name, "trec", "figures", "report.md", ".hydra", "trec/ideal.run"))
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        path.symlink_to(draw.choice((world.outside, world.outside / name, world.outside / "new")))
    elif kind == "left":
        ended = f"{socket.gethostname()}~{2**22 + 1}~0"  # above the largest number of a process
        left = world.sent / f"{draw.choice(('.ready-', '.placing-', '.writing-', '.keeping-'))}{ended}"
        if draw.random() < 0.5:
            left.symlink_to(world.outside)
        else:
            left.mkdir()
            (left / MARKER).write_text(f"../{world.outside.name}/secret\n")
            (left / "report.md").symlink_to(world.outside / "secret")
    if kind in ("bytes", "part") and draw.random() < 0.2:
        seal_again(world.sent)
        kind = "sealed again"
    return ("any" if kind in ("link", "left") else name), kind


def change_journal(world: World, draw: random.Random, path: Path, content: bytes) -> str:
    """Put a journal into a folder, changed in one place or not at all; returns the kind of the change."""
    kind = draw.choice(("bytes", "part", "part", "part", "line", "link", "folder", "nothing"))
    lines = content.split(b"\n")[:-1]
    at = draw.randrange(len(lines))
    if kind == "bytes":
        content = mutated(draw, content)
    elif kind in ("part", "line"):
        row = replaced(draw, json.loads(lines[at]), world.hostile(draw))
        changed = json.dumps(row).encode() if kind == "part" else mutated(draw, lines[at])
        content = b"\n".join([*lines[:at], changed, *lines[at + 1 :], b""])
    path.write_bytes(content)
    if kind == "link":
        name = draw.choice((path.name, ".watching", "report.html"))
        (path.parent / name).unlink(missing_ok=True)
        (path.parent / name).symlink_to(draw.choice((world.outside / "secret", world.outside / "new", world.outside)))
    elif kind == "folder":
        path.unlink()
        path.mkdir()
    return kind


def seal_again(folder: Path) -> None:
    """As somebody does who wants a changed folder to pass."""
    try:
        read = read_provenance(folder).get("read", {})
    except cb.ClirbenchError:
        read = {}
    (folder / MANIFEST).unlink(missing_ok=True)
    seal(folder, folder, cb.__version__, read)


def actions(world: World, number: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], object]]:
    sent, out = world.sent, world.home / f"saved-{number}"

    def load() -> None:
        outcome = cb.load(sent)
        for name in outcome.tables:
            _ = outcome.tables[name]
        assert outcome.answer is not None
        assert outcome._repr_html_()
        assert repr(outcome)

    def compared() -> None:
        compare._compare(Namespace(first=sent, second=world.run, html=None, rows=5))

    def again() -> None:
        stream = io.StringIO()
        with redirect_stdout(stream):
            try:
                rerun._rerun(Namespace(provenance=sent / "provenance.json", overrides=[], trust=False))
            except cb.ClirbenchError as error:
                if "nothing was run; where all of the above is right" not in str(error):
                    raise
                assert "This run would be done again" in stream.getvalue()
                return
        raise AssertionError("a run was done again without a word of the user")

    def verified(name: str) -> None:
        with suppress(cb.ClirbenchError):
            read = read_provenance(sent).get("read", {})
            world.watcher.inputs = {os.path.realpath(path) for path in read if "\0" not in path and len(path) < 4000}
        status = world.verifiers[name](sent, monkeypatch)
        assert status in (0, 4, 5)
        if status:
            raise NotVerified(status)

    return {
        **{name: partial(verified, name) for name in world.verifiers},
        "load": load,
        "save": lambda: cb.load(sent).save(out),
        "compare": compared,
        "pool": lambda: cb.pool([sent, world.other]),
        "rerun": again,
        "status": lambda: status._status(Namespace(run=sent, store=world.home / "store")),
        "store": lambda: store.results_in_plans(sent),
        "new run": lambda: world.loaded.save(sent),
    }


NUMBER = re.compile(r"(-?\d+\.\d+(?:e[+-]?\d+)?)")


def alike(name: str, one: Path, other: Path) -> bool:
    """Whether two files say the same: the same JSON, written otherwise, or numbers that differ in their last bits.

    Numbers within 1e-12 are equal for `verify` (docs/how-to/verify.md): processors add up differently.
    """
    contents = [(folder / name).read_bytes() for folder in (one, other)]
    if name.endswith(".json"):
        contents = [json.dumps(json.loads(content), indent=0).encode() for content in contents]
    ours, theirs = (NUMBER.split(content.decode()) for content in contents)
    return len(ours) == len(theirs) and all(
        a == b or (NUMBER.fullmatch(a) and NUMBER.fullmatch(b) and math.isclose(float(a), float(b), rel_tol=1e-12))
        for a, b in zip(ours, theirs, strict=True)
    )


class NotVerified(cb.ClirbenchError):
    """A folder whose tables do not follow from its texts."""


def tried(world: World, what: str, work: Callable[[], object]) -> bool:
    """Do the work; whether it was refused. Fails where it knew something of the outside, or started a program."""
    with world.watcher.watching(), redirect_stdout(io.StringIO()) as said:
        failed = refused(what, work)
    world.said = said.getvalue()
    assert not world.watcher.seen, f"{what}: {world.watcher.seen[:3]}"
    assert world.content() == world.before, what
    return failed


@pytest.mark.parametrize("numbers", [QUICK, *(pytest.param(part, marks=pytest.mark.release) for part in REST)], ids=str)
def test_a_sent_folder_reaches_nothing_outside_it(
    numbers: range, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    composed = cache(composing.compose_configuration)  # the same command line again and again
    for module in (composing, *(lab.COMPOSES for lab in (*LABS, *VERIFIERS))):
        monkeypatch.setattr(module, "compose_configuration", lambda words: deepcopy(composed(tuple(words))))
    counts: Counter[tuple[str, bool]] = Counter()
    for number in numbers:
        draw = random.Random(f"{SEED} folders {number}")
        shutil.rmtree(world.sent, ignore_errors=True)
        shutil.copytree(world.run, world.sent)
        name, kind = change(world, draw)
        what = f"CLIRBENCH_FUZZ_SEED={SEED} number {number}: {name}, {kind}"
        journals = {lab: world.home / f"{lab.NAME}-{number}" for lab in LABS if number % SHARE == 0}
        for place in journals.values():
            shutil.copytree(world.sent, place, symlinks=True)
        for action, work in actions(world, number, monkeypatch).items():
            if name not in ("any", *READ_BY[action]) or (kind == "nothing" and number % 4):
                continue
            failed = tried(world, f"{what}, {action}", work)
            assert not (failed and kind == "nothing"), f"{what}, {action}: a whole folder was refused"
            if action in world.verifiers:
                same = not failed and all((world.sent / n).read_bytes() == (world.run / n).read_bytes() for n in FILES)
                unchecked = world.said.partition("Not checked, files: ")[2].partition("\n")[0].split(", ")
                recorded = kind == "sealed again" and name in ("provenance.json", MANIFEST, *unchecked)
                other = not (failed or same or recorded)
                computed = name == "results.json" or name.endswith(".tsv")
                assert not other or (computed and alike(name, world.sent, world.run)), (
                    f"{what}: a changed folder passed"
                )
            if kind != "nothing":
                counts[action, failed] += 1
        for lab, place in journals.items():
            journal = change_journal(world, draw, place / lab.JOURNAL, world.journals[lab.NAME])
            told = f"{what}, {lab.NAME}, journal: {journal}"
            failed = tried(world, told, lambda lab=lab, place=place: lab.look(world.home / "first", place, world.home))
            assert not (failed and kind == journal == "nothing"), f"{told}: a whole folder was refused"
            counts[lab.NAME, failed] += 1
            shutil.rmtree(place)
        shutil.rmtree(world.home / f"saved-{number}", ignore_errors=True)
    print(dict(counts))
    tried_in_all = (*READ_BY, *(lab.NAME for lab in LABS)) if len(numbers) > 100 else ()
    for action in tried_in_all:  # a check that refuses all, or takes all, has compared nothing
        assert counts[action, False] > len(numbers) // 50, (action, counts)
        assert counts[action, True] >= len(numbers) // 200, (action, counts)
