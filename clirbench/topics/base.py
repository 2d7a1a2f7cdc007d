"""Where topics come from: a file, or the English side itself."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from clirbench.types import Documents, Topic


@runtime_checkable
class TopicSource(Protocol):
    """A source of topics; a frozen dataclass whose fields are its configuration.

    It may declare its `kind`, a short name for columns (`MAP[titles]`; default: the name of its class), and
    `known_item_like`, whether a topic is taken from one document that answers it (default: not known).
    """

    @property
    def signature(self) -> str:
        """What the topics are: the kind and its parameters, or the content hash of a file and the fields read."""

    def topics(self, documents: Documents) -> Sequence[Topic]:
        """The topics, in order; `documents` is the English side, for topics that are made from it.

        Raises `InputError` for doubled ids, topics without text, or none at all.
        """
