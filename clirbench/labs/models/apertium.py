"""`systems/translator=apertium`: a language pair of Apertium (rules), with settings that do no damage."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from clirbench.corpora.alignment import first_ten
from clirbench.errors import ConfigError, ResourceError
from clirbench.labs.models.command_translator import MODEL, CommandTranslator
from clirbench.labs.models.content import content_fingerprint
from clirbench.labs.models.translating.base import Translate
from clirbench.labs.models.translating.translation import OfCheckpoints

DATA = "APERTIUM_DATADIR"
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


@dataclass(frozen=True)
class ApertiumTranslator(OfCheckpoints):
    """`apertium -u PAIR`: unknown words are kept without a mark, and final full stops are kept (`-f line` drops them).

    `pair` is SOURCE-TARGET as `apertium -l` lists it. A model, where there is one, is a folder of Apertium's data
    (with `modes/`), as a developer of rules has one for each version. `batch_lines`, `timeout`, `retries` and
    `environment` are as those of `CommandTranslator`. The files of the pair are part of what is remembered with a
    translation, so an update of the package translates again.

    **Raises** `ConfigError` for a pair that is none; `check`: `ResourceError` where Apertium, the pair or one of the
    pair's files is not installed; it names Debian's package. Translating: as `CommandTranslator`.
    """

    kind: ClassVar[str] = "rules"
    pair: str = ""
    batch_lines: int | None = 1000
    timeout: float | None = 3600.0
    retries: int = 1
    environment: Mapping[str, str] = field(default_factory=lambda: {"LC_ALL": "C.UTF-8"}, hash=False)

    def __post_init__(self) -> None:
        if not PAIR.fullmatch(self.pair):
            raise ConfigError(
                f"apertium: {self.pair!r} is no pair of languages; write SOURCE-TARGET as `apertium -l` does: spa-eng"
            )

    def command(self, model: Path | None) -> CommandTranslator:
        """The command that translates."""
        data = () if model is None else ("-d", MODEL)
        words = ("apertium", *data, "-u", self.pair)
        return CommandTranslator(words, False, self.batch_lines, self.timeout, self.retries, self.environment)

    @property
    def signature(self) -> str:
        return self.command(None).signature

    def check(self, model: Path | None) -> None:
        if shutil.which("apertium") is None:
            needed = f"apertium {self.package}".rstrip()
            raise ResourceError(f"apertium: no such program; with Debian: apt-get install {needed}")
        installed = [pair for pair in pairs(model) if "_" not in pair or pair == self.pair]  # no variants
        if self.pair not in installed:
            also = [name for name in installed if languages(name) == languages(self.pair)]
            here = f"apertium: the pair {self.pair} is not installed"
            if also:
                raise ResourceError(f"{here}; write {also[0]}")
            way = f"with Debian: apt-get install {package}" if (package := self.package) else "Debian 12 has no package"
            raise ResourceError(
                f"{here} ({way}); else translate through another language: {{apertium: [PAIR, PAIR]}}; "
                f"installed: {first_ten(installed) or 'none'}"
            )
        if missing := [path for path in self.files(model) if not path.is_file()]:
            raise ResourceError(
                f"apertium: the pair {self.pair} is installed without {first_ten(missing)}; install its package again, "
                "or translate through another language: {apertium: [PAIR, PAIR]}"
            )

    def files(self, model: Path | None) -> Sequence[Path]:
        """The dictionaries and rules that the pair's pipe names; none where the folder of the data is not known."""
        mode = data_folder(model) / "modes" / f"{self.pair}.mode"
        if not mode.is_file():
            return ()
        return tuple(map(Path, dict.fromkeys(QUOTED.findall(mode.read_text(encoding="utf-8")))))

    def fingerprint(self, model: Path | None) -> str:
        # Pipes name some sources too (PAIR.t1x), which a package may leave out; only what is there decides.
        parts = [content_fingerprint(path) for path in self.files(model) if path.is_file()]
        return sha256("\n".join([self.command(model).fingerprint(model), *parts]).encode()).hexdigest()

    def loaded(self, model: Path | None) -> AbstractContextManager[Translate]:
        return self.command(model).loaded(model)

    @property
    def package(self) -> str:
        """Debian's package of the pair, whichever direction its name has; empty where there is none."""
        wanted = {*languages(self.pair)}
        return next((f"apertium-{name}" for name in PACKAGES.split() if {*languages(name)} == wanted), "")


def languages(pair: str) -> tuple[str, str]:
    """The source and target of a pair, in three letters, without variants: `es-fr` is (spa, fra)."""
    source, target = (code.partition("_")[0] for code in pair.split("-"))
    return THREE.get(source, source), THREE.get(target, target)


def data_folder(model: Path | None) -> Path:
    """Where Apertium's data are: the model, what the environment names, or the folder beside the program."""
    if model is not None:
        return model
    program = shutil.which("apertium") or "/usr/bin/apertium"
    return Path(os.environ.get(DATA) or Path(program).resolve().parents[1] / "share" / "apertium")


def pairs(model: Path | None) -> Iterator[str]:
    """The pairs that `apertium -l` lists."""
    folder = () if model is None else ("-d", str(model))
    try:
        listed = subprocess.run(("apertium", *folder, "-l"), capture_output=True, timeout=60, check=False).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ResourceError(f"apertium -l: {error}") from None
    for line in listed.decode("utf-8", "replace").splitlines():
        if PAIR.fullmatch(line.strip()):
            yield line.strip()
