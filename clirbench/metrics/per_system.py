"""Metrics whose scores are made elsewhere, and so must know which system a text is from, or see all systems at once."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from clirbench.metrics.base import Metric
from clirbench.text import Text
from clirbench.types import TestSet


@runtime_checkable
class NeedsSystems(Protocol):
    """A metric that is resolved once, for all systems, before any system is scored."""

    def for_systems(self, translations: Mapping[str, Text], test: TestSet) -> Mapping[str, Metric]:
        """What scores each system, by its name; a system without scores is left out and stays a hole."""


def per_system(metric: Metric, translations: Mapping[str, Text], test: TestSet) -> Mapping[str, Metric]:
    """The metric that scores each system: the same for all, unless it needs to know them."""
    if isinstance(metric, NeedsSystems):
        return metric.for_systems(translations, test)
    return dict.fromkeys(translations, metric)
