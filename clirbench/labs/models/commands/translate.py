"""`clirbench translate [key=value ...] --out DIR`: translate what a run of these keys would, and write it as files.

Translations are kept by content, as in a run: a command that was killed goes on where it stopped, and a run of the same
keys translates nothing again. `DIR/systems/NAME.txt` is the test set; where the collection is another text,
`DIR/collection/systems/NAME.txt` is that.
"""

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from clirbench.commands.base import SOME_FAILED, command_parser, run_command
from clirbench.configuration.building import build, limits_of
from clirbench.configuration.composing import compose_configuration
from clirbench.engines.base import leave_clusters
from clirbench.errors import ConfigError, InputError, StoreError, escape_unseen
from clirbench.experiment import completed
from clirbench.report import terminal
from clirbench.result import Inputs
from clirbench.store.store import read_through_snapshot, write_whole
from clirbench.text import Text, set_limits
from clirbench.types import Translation


def main(arguments: Sequence[str] | None = None) -> int:
    """0; 2 where some systems failed; the statuses of a run where it cannot begin."""
    parser = command_parser("translate", __doc__)
    parser.add_argument(
        "overrides", nargs="*", metavar="key=value", help="the keys of a run: folder=DIR systems=command"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the files go; folder=DIR reads "
                        "them, if reference and source are there too")  # fmt: skip
    return run_command(parser, arguments, _translate)


def _translate(options: Namespace) -> int:
    cfg = compose_configuration(list(options.overrides))
    set_limits(limits_of(cfg))
    experiment = build(cfg)
    if experiment.corpus is None or experiment.systems is None:
        raise ConfigError("translate: name what is to be translated (folder=DIR) and by what (systems=command)")
    try:
        with read_through_snapshot(), terminal.progress() as watch:
            corpus = experiment.corpus.read()
            translations = tuple(experiment.systems.translations(corpus))
            if not any(translation.maker for translation in translations):
                said = "translate: these systems are files already;"
                raise ConfigError(f"{said} name translators, such as systems=command")
            inputs, failed = completed(experiment, Inputs(corpus, translations, {}), watch)
            assert inputs is not None
            for path, text in _files(options.out, inputs.translations):
                _write(path, b"".join(text.blocks()))
                print(escape_unseen(str(path)))
    finally:
        leave_clusters()
    for why in failed.values():
        print(escape_unseen(why), file=sys.stderr)
    return SOME_FAILED if failed else 0


def _files(folder: Path, translations: Sequence[Translation]) -> Iterator[tuple[Path, Text]]:
    """The file of each text; one that is both test set and collection is one file."""
    for translation in translations:
        test, collection = translation.test, translation.collection
        name = Path("systems") / f"{translation.system}.txt"
        if test is not None:
            yield folder / name, test
        if collection is not None and (test is None or collection.fingerprint != test.fingerprint):
            yield folder / "collection" / name, collection


def _write(path: Path, content: bytes) -> None:
    """Raises `InputError` for a file that is there with another content, `StoreError` where it cannot be written."""
    try:
        if path.is_file() and path.read_bytes() != content:
            raise InputError(f"{path}: is there with another content; name another folder, --out DIR, or remove it")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be written ({error.strerror or error}); name another folder, --out DIR"
        ) from None
