"""Which two systems an analysis of two systems is about, and their outputs side by side."""

from collections.abc import Sequence
from typing import NamedTuple

from clirbench.computed import Inputs
from clirbench.errors import ConfigError, UnknownName


class TwoSystems(NamedTuple):
    """Two systems by name; what is positive speaks for `a`."""

    a: str
    b: str


def chosen_pair(pair: Sequence[str] | None, systems: Sequence[str], analysis: str) -> TwoSystems:
    """The pair that is configured; of exactly two systems no choice is needed.

    Raises `ConfigError` where there are not two to choose from, where the choice is open or not of two different
    ones; `UnknownName` for a system that does not take part.
    """
    if len(systems) < 2:
        named = f"only {systems[0]}" if systems else "none"
        raise ConfigError(f"analysis {analysis} compares two systems, and {named} takes part: add one to the folder")
    if not pair:
        if len(systems) == 2:
            return TwoSystems(*systems)
        raise ConfigError(f"analysis {analysis} compares two systems: choose pair=[A,B] of {', '.join(systems)}")
    names = [str(name) for name in pair]
    for name in names:
        if name not in systems:
            raise UnknownName("system of pair", name, systems)
    if len(names) != 2 or names[0] == names[1]:
        raise ConfigError(f"pair={names}: name two different systems, pair=[A,B]")
    return TwoSystems(*names)


def with_test_text(inputs: Inputs) -> tuple[str, ...]:
    """The systems that translated the MT test set."""
    return tuple(translation.system for translation in inputs.translations if translation.test is not None)


def searches_test_set(inputs: Inputs) -> bool:
    """Whether the searched English text is the test set's first reference, line for line."""
    corpus = inputs.corpus
    if corpus.english.map.n_lines != len(corpus.test):
        return False
    return all(a == b for a, b in zip(corpus.english.lines(), corpus.test.references[0], strict=True))


def test_lines(inputs: Inputs, system: str) -> tuple[str, ...]:
    """One system's translation of the MT test set."""
    for translation in inputs.translations:
        if translation.system == system and translation.test is not None:
            return translation.test.lines()
    raise UnknownName("system with a translation of the test set", system, with_test_text(inputs))
