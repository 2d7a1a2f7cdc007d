"""Apertium: what is missing is named with its package, and help pages are translated through kills without loss."""

import gzip
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from clirbench.errors import ConfigError, ResourceError
from clirbench.files.tables import read_table
from clirbench.labs.models.apertium import ApertiumTranslator, languages
from clirbench.labs.models.chain import ChainTranslator
from clirbench.labs.models.command_systems import CommandSystems
from clirbench.labs.models.translating.base import translate_lines
from tests.waiting import wait_until

HELP = Path(__file__).parents[4] / "shared" / "data" / "libreoffice-help" / "es"
PAGES, SHARD = 200, 100


def installed(*pairs: str) -> bool:
    if shutil.which("apertium") is None:
        return False
    listed = subprocess.run(("apertium", "-l"), capture_output=True, text=True, check=False).stdout.split()
    return {*pairs} <= {*listed}


def test_a_pair_is_two_languages() -> None:
    for wrong in ("", "spa", "spa-eng -f line", "../spa-eng"):
        with pytest.raises(ConfigError, match="is no pair of languages"):
            ApertiumTranslator(wrong)
    assert languages("es-fr") == languages("spa-fra") == ("spa", "fra")


@pytest.mark.parametrize(
    ("pair", "package"),  # as Debian 12 lists them
    [("spa-eng", "apertium-eng-spa"), ("cat-spa", "apertium-spa-cat"), ("spa-fra", "apertium-fr-es"), ("deu-eng", "")],
)
def test_the_package_of_a_pair(pair: str, package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert ApertiumTranslator(pair).package == package
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ResourceError, match=f"no such program; with Debian: apt-get install apertium ?{package}$"):
        ApertiumTranslator(pair).check(None)


def test_pairs_are_systems_and_steps_of_a_chain() -> None:
    commands: dict[str, Any] = {"direct": {"apertium": "spa-eng"}, "via-cat": {"apertium": ["spa-cat", "cat-eng"]}}
    systems = CommandSystems({**commands, "mended": {"chain": [{"apertium": "spa-eng"}, "sed s/a/b/"]}})
    assert systems.translator("direct") == ApertiumTranslator("spa-eng")
    through, mended = systems.translator("via-cat"), systems.translator("mended")
    assert isinstance(through, ChainTranslator)
    assert isinstance(mended, ChainTranslator)
    assert through.steps == (ApertiumTranslator("spa-cat"), ApertiumTranslator("cat-eng"))
    assert mended.steps[0] == ApertiumTranslator("spa-eng")
    with pytest.raises(ConfigError, match="two or more"):
        CommandSystems({"a": {"apertium": ["spa-eng"]}})


@pytest.mark.slow
def test_pairs_and_files_that_are_missing() -> None:
    if not installed("spa-eng"):
        pytest.skip("APERTIUM ABSENT: apt-get install apertium apertium-eng-spa")
    ApertiumTranslator("spa-eng").check(None)
    assert ApertiumTranslator("spa-eng").files(None)
    with pytest.raises(ResourceError, match=r"deu-eng is not installed \(Debian 12 has no package\)"):
        ApertiumTranslator("deu-eng").check(None)
    with pytest.raises(ResourceError, match=r"pair es-en is not installed; write spa-eng$"):
        ApertiumTranslator("es-en").check(None)


@pytest.mark.slow
def test_apertium_translates_icelandic() -> None:
    """English, full stops, no marks at names; a blank line stays one."""
    if not installed("isl-eng"):
        pytest.skip("APERTIUM ABSENT: apt-get install apertium apertium-isl-eng")
    with ApertiumTranslator("isl-eng", batch_lines=2).loaded(None) as engine:
        lines = ["Hundurinn er stór.", "", "Hvar er húsið?", "Kötturinn Snorri sefur."]
        written = translate_lines(engine, lines, "test")
    assert written == ["The dog is big.", "", "Where is the house?", "The cat Snorri sleeps."]


@pytest.mark.slow
def test_a_folder_of_rules_is_a_model(tmp_path: Path) -> None:
    if not installed("spa-eng"):
        pytest.skip("APERTIUM ABSENT: apt-get install apertium apertium-eng-spa")
    (tmp_path / "modes").mkdir()
    (tmp_path / "modes" / "xx-yy.mode").write_text("lt-proc '/no/such/file.bin'\n")
    with pytest.raises(ResourceError, match="xx-yy is installed without /no/such/file.bin"):
        ApertiumTranslator("xx-yy").check(tmp_path)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A mirror with the first 200 help pages, and the titles of these."""
    folder = tmp_path / "mirror" / "libreoffice-help" / "es"
    folder.mkdir(parents=True)
    docs = gzip.decompress((HELP / "docs.tsv.gz").read_bytes()).decode().split("\n")[:-1]
    kept = list(dict.fromkeys(row.split("\t")[1] for row in docs[1:]))[:PAGES]
    rows = [row for row in docs[1:] if row.split("\t")[1] in kept]
    (folder / "docs.tsv").write_text("\n".join([docs[0], *rows]) + "\n", encoding="utf-8")
    for name in ("source", "reference"):
        lines = gzip.decompress((HELP / f"{name}.txt.gz").read_bytes()).decode().split("\n")[: len(rows)]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    judged = [row for row in (HELP / "qrels.txt").read_text().splitlines() if row.split()[2] in kept]
    (folder / "qrels.txt").write_text("\n".join(judged) + "\n")
    wanted = {row.split()[0] for row in judged}
    titles = (HELP / "topics.jsonl").read_text(encoding="utf-8").splitlines()
    chosen = [title for title in titles if any(f'"{topic}"' in title for topic in wanted)]
    (folder / "topics.jsonl").write_text("\n".join(chosen) + "\n", encoding="utf-8")
    return tmp_path / "mirror"


@pytest.mark.slow
def test_help_pages_are_translated_through_kills(pages: Path, tmp_path: Path) -> None:
    """Apertium behind a program that notes what finished calls translated; runs end by SIGTERM, by SIGKILL, well."""
    if not installed("spa-eng", "spa-cat", "cat-eng"):
        pytest.skip("APERTIUM ABSENT: apt-get install apertium apertium-eng-spa apertium-spa-cat apertium-eng-cat")
    real, calls = shutil.which("apertium"), tmp_path / "calls"
    noting = tmp_path / "bin" / "apertium"
    noting.parent.mkdir()
    noting.write_text(
        f'#!/bin/sh\n[ "$1" = -l ] && exec {real} -l\nkept=$(mktemp)\ncat > $kept\n{real} "$@" < $kept && '
        f'echo "$2 $(sha256sum < $kept)" >> {calls}\nrm $kept\n'
    )
    noting.chmod(0o755)
    variables = {**os.environ, "PATH": f"{noting.parent}:{os.environ['PATH']}",
                 "APERTIUM_DATADIR": str(Path(real or "").parents[1] / "share" / "apertium")}  # fmt: skip

    def done() -> list[str]:
        return calls.read_text().splitlines() if calls.exists() else []

    def begun(run: str, *more: str) -> "subprocess.Popen[str]":
        arguments = ("+experiment=help_esen_live", f"paths.mirror={pages}", f"systems.shard_lines={SHARD}",
                     f"paths.cache={tmp_path / 'cache'}", f"hydra.run.dir={tmp_path / run}", *more)  # fmt: skip
        return subprocess.Popen(
            (sys.executable, "-m", "clirbench", *arguments), env=variables, text=True, cwd=tmp_path,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def kill(number: signal.Signals, after: int) -> None:
        process = begun("killed")
        wait_until(lambda: len(done()) >= after, unless=lambda: process.poll() is not None)
        process.send_signal(number)
        process.communicate()
        assert process.returncode != 0

    for number, after in ((signal.SIGTERM, 3), (signal.SIGKILL, 7)):
        kill(number, after)
        assert not (tmp_path / "killed" / "results.json").exists()
    silent = "[sh, -c, 'cat >/dev/null; echo no dictionary >&2']"
    process = begun("run", f"+systems.commands.broken={{chain: [{{apertium: spa-cat}}, {silent}]}}")
    told = process.communicate()[0]
    assert process.returncode == 2, told  # the broken one is a named hole
    assert "step 2 of 2: command sh: " in told
    assert "0 lines came back" in told
    assert "stderr ends: no dictionary" in told
    times = Counter(done())
    lines = len((pages / "libreoffice-help" / "es" / "source.txt").read_text(encoding="utf-8").split("\n")) - 1
    assert len(times) >= 3 * (lines // (2 * SHARD))  # three pairs, each over all shards; shards hold whole pages
    assert sum(times.values()) - len(times) <= 2  # at each kill, what was in hand
    rows = {row["system"]: row for row in read_table(tmp_path / "run" / "systems.tsv").records()}
    assert not rows["broken"]["RR"]
    priced = {row["system"]: row for row in read_table(tmp_path / "run" / "frontier.tsv").records()}
    assert all(priced[name]["seconds_per_million_words"] for name in ("direct", "via-cat", "dictionary"))
    assert float(rows["no translation"]["RR"]) < float(rows["via-cat"]["RR"]) < float(rows["reference side"]["RR"])
    process = begun("again")
    assert process.communicate()[0]
    assert process.returncode == 0
    assert Counter(done()) == times  # nothing is translated again
