"""A pair of Apertium: `apertium -u PAIR`; unknown words are kept without a mark (`-f line` would drop full stops)."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clirbench.labs.models.scripts.lines import ScriptError, Work, main

PAIR = re.compile(r"[a-z]{2,3}(_\w+)?-[a-z]{2,3}(_\w+)?")
QUOTED = re.compile(r"'(/[^']+)'")


def about(settings: dict[str, Any]) -> str:
    """sha256 of the dictionaries and rules of the pair; fails where Apertium, the pair or a file is not installed."""
    from clirbench.labs.models.program import content_fingerprint

    pair = str(settings["pair"])
    if not PAIR.fullmatch(pair):
        raise ScriptError(f"{pair!r} is no pair of languages; write SOURCE-TARGET as `apertium -l` does: spa-eng")
    if (program := shutil.which("apertium")) is None:
        raise ScriptError(
            "no such program; with Debian: apt-get install apertium, and a pair (apt-cache search apertium)"
        )
    installed = Path(program).resolve().parents[1] / "share/apertium"
    data = settings["model"] or os.environ.get("APERTIUM_DATADIR") or installed
    listed = subprocess.run([*command(settings)[:-2], "-l"], capture_output=True, text=True, timeout=60, check=False)
    pairs = [name for name in listed.stdout.split() if PAIR.fullmatch(name)]
    if pair not in pairs:
        raise ScriptError(
            f"the pair {pair} is not installed (with Debian: apt-cache search apertium); else go through another "
            f"language: {{apertium: [PAIR, PAIR]}}; installed: {', '.join(pairs) or 'none'}"
        )
    mode = Path(data) / "modes" / f"{pair}.mode"
    quoted = QUOTED.findall(mode.read_text(encoding="utf-8")) if mode.is_file() else []
    files = [Path(name) for name in dict.fromkeys(quoted)]
    # Pipes name some sources too (PAIR.t1x), which a package may leave out; only what is there decides.
    if missing := [path.name for path in files if not path.is_file()]:
        raise ScriptError(f"the pair {pair} is installed without {', '.join(missing)}; install its package again")
    return " ".join(map(content_fingerprint, files))


def command(settings: dict[str, Any]) -> list[str]:
    """What translates."""
    data = ["-d", settings["model"]] if settings["model"] else []
    return ["apertium", *data, "-u", settings["pair"]]


def work(settings: dict[str, Any]) -> Work:
    """Calls Apertium for the lines that are there: what it makes of a line depends on those before it."""

    def translate(lines: Sequence[str]) -> list[str]:
        given = "".join(f"{line}\n" for line in lines).encode()
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(command(settings), input=given, stdout=subprocess.PIPE, env=environment, check=False)
        written = done.stdout.decode("utf-8").removesuffix("\n").split("\n")
        if done.returncode or len(written) != len(lines):
            raise ScriptError(f"{len(written)} lines for {len(lines)}, exit status {done.returncode}")
        return written

    return translate


if __name__ == "__main__":
    main(about, work)
