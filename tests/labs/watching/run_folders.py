"""A watch in a run's folder that somebody sent, with a journal; for tests/fuzz/test_run_folders.py."""

from argparse import Namespace
from pathlib import Path

from clirbench.labs.watching.commands import watch

NAME = "watch"
JOURNAL = watch.EVENTS
COMPOSES = watch
"""The module that composes the configuration of a watch."""


def look(texts: Path, folder: Path, home: Path) -> None:
    """Go on where the journal of a folder ends, for one look; what is in the journal then can be read again."""
    overrides = [
        f"folder={texts}", "metric=[BLEU]", "measures=[RBO]", "topics=keyterms", "topics.n=6", "relevance.k=2",
        "systems.quiet=0", "units=none", f"paths.cache={home / 'cache'}",
        f"hydra.run.dir={folder}",
    ]  # fmt: skip
    options = Namespace(overrides=overrides, every=1, gain=0.005, horizon=None, measure="")
    started = watch.Watching(options)
    started.look()
    assert [row["event"] for row in started.journal]
