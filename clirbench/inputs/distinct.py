"""Systems that are not distinct: copies of the reference are left out, near-copies are named."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from clirbench.computed import Inputs
from clirbench.errors import ConfigError, NothingCompared
from clirbench.pages.wording import short
from clirbench.result import Experiment
from clirbench.systems.likeness import Resemblances


def distinct(experiment: Experiment, inputs: Inputs, found: Resemblances) -> tuple[Inputs, list[str]]:
    """The systems without those that copy the reference, and notes on it; `found`: what the texts share.

    Raises `ConfigError` for a baseline that is a copy, and
    `NothingCompared` where no other system is left.
    """
    notes = [
        f"{copy.system} copies the reference ({short(100 * copy.dice, 3)} % of its word 4-grams are the same, "
        f"{short(100 * copy.repeated, 3)} % of its lines)"
        for copy in found.references
    ]
    if experiment.keep_copies or not found.references:
        return inputs, notes
    copies = [copy.system for copy in found.references]
    if experiment.baseline in copies:
        raise ConfigError(f"baseline={experiment.baseline} copies the reference; keep_copies=true compares with it")
    kept = tuple(translation for translation in inputs.translations if translation.system not in copies)
    if not kept:
        raise NothingCompared("every system copies the reference; keep_copies=true compares them")
    notes = [f"{note} and is left out; keep_copies=true keeps it" for note in notes]
    left_out = {**inputs.left_out, **dict.fromkeys(copies, "copies the reference; keep_copies=true")}
    return replace(inputs, translations=kept, left_out=left_out), notes


def near_copy_notes(groups: Iterable[Sequence[str]], found: Resemblances) -> Iterator[str]:
    """A note for each group of near-copies. `groups`: their systems."""
    for names in groups:
        shared = min(pair.dice for pair in found.near if pair.first in names)
        yield (
            f"near-copies count as one system: {', '.join(names)} share {short(100 * shared, 3)} % of their word "
            "4-grams; if they were made independently, units=none"
        )
