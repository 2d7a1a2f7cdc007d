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
THREE = {
    "af": "afr", "br": "bre", "ca": "cat", "en": "eng", "eo": "epo", "es": "spa", "eu": "eus", "fr": "fra",
    "gl": "glg", "is": "isl", "it": "ita", "mk": "mkd", "nl": "nld", "oc": "oci", "pt": "por", "ro": "ron",
}  # fmt: skip
"""Some pairs still have the two-letter codes of ISO 639-1."""
PACKAGES = (
    "afr-nld arg-cat bel-rus br-fr cat-ita cat-srd dan-nor en-gl eng-cat eng-spa eo-ca eo-en eo-es eo-fr es-gl es-pt "
    "es-ro eu-en eu-es fr-es fra-cat fra-frp hbs-eng hbs-mkd hbs-slv ind-zlm isl-eng isl-swe mkd-bul mkd-eng nno-nob "
    "oc-ca oc-es oci-fra pol-szl por-cat pt-gl rus-ukr spa-arg spa-ast spa-cat spa-ita srd-ita swe-dan swe-nor urd-hin"
)
"""Debian 12's packages apertium-NAME; each has one direction or both."""


def about(settings: dict[str, Any]) -> str:
    """sha256 of the dictionaries and rules of the pair; fails where Apertium, the pair or a file is not installed."""
    from clirbench.labs.models.program import content_fingerprint

    pair, wanted = str(settings["pair"]), languages(str(settings["pair"]))
    if not PAIR.fullmatch(pair):
        raise ScriptError(f"{pair!r} is no pair of languages; write SOURCE-TARGET as `apertium -l` does: spa-eng")
    package = next((f"apertium-{name}" for name in PACKAGES.split() if {*languages(name)} == {*wanted}), "")
    if (program := shutil.which("apertium")) is None:
        raise ScriptError(f"no such program; with Debian: apt-get install {f'apertium {package}'.rstrip()}")
    data = (
        settings["model"] or os.environ.get("APERTIUM_DATADIR") or Path(program).resolve().parents[1] / "share/apertium"
    )
    listed = subprocess.run([*command(settings)[:-2], "-l"], capture_output=True, text=True, timeout=60, check=False)
    pairs = [name for name in listed.stdout.split() if PAIR.fullmatch(name) and ("_" not in name or name == pair)]
    if pair not in pairs:
        here = f"the pair {pair} is not installed"
        if also := [name for name in pairs if languages(name) == wanted]:
            raise ScriptError(f"{here}; write {also[0]}")
        way = f"with Debian: apt-get install {package}" if package else "Debian 12 has no package"
        through = "else translate through another language: {apertium: [PAIR, PAIR]}"
        raise ScriptError(f"{here} ({way}); {through}; installed: {', '.join(pairs) or 'none'}")
    mode = Path(data) / "modes" / f"{pair}.mode"
    files = (
        [Path(name) for name in dict.fromkeys(QUOTED.findall(mode.read_text(encoding="utf-8")))]
        if mode.is_file()
        else []
    )
    # Pipes name some sources too (PAIR.t1x), which a package may leave out; only what is there decides.
    if missing := [path.name for path in files if not path.is_file()]:
        raise ScriptError(f"the pair {pair} is installed without {', '.join(missing)}; install its package again")
    return " ".join(map(content_fingerprint, files))


def languages(pair: str) -> Sequence[str]:
    """The source and target of a pair, in three letters, without variants: `es-fr` is (spa, fra)."""
    codes = [code.partition("_")[0] for code in pair.split("-")]
    return [THREE.get(code, code) for code in codes]


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
