"""Where topics come from: a file, or the English side itself."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from clirbench.pages import NUMBERS
from clirbench.types import Documents, Topic

SECOND, BY_REFERENCE = "second kind", "reference "
"""The label of a second kind of topics; how that of another reference's topics begins."""


@runtime_checkable
class TopicSource(Protocol):
    """A source of topics; a frozen dataclass whose fields are its configuration.

    It may declare its `kind`, a short name for columns (`MAP[titles]`; default: the name of its class), and
    `known_item_like`, whether a topic is taken from one document that answers it (default: not known); and how its
    topics are `said` in an answer.
    """

    @property
    def signature(self) -> str:
        """What the topics are: the kind and its parameters, or the content hash of a file and the fields read."""

    def topics(self, documents: Documents) -> Sequence[Topic]:
        """The topics, in order; `documents` is the English side, for topics that are made from it.

        Raises `InputError` for doubled ids, topics without text, or none at all.
        """


def described(source: TopicSource, n: int) -> str:
    """What n topics of a source are, in words: `up to five rare words from each of 369 reference sentences`."""
    terms = getattr(source, "terms", 0)
    said: str = getattr(source, "said", "{n} topics")
    return said.format(n=n, terms=NUMBERS[terms] if terms < len(NUMBERS) else terms)
