"""What an IR measure is: one value for each scored topic, and a mean over them."""

from typing import Protocol, runtime_checkable

from clirbench.types import Doubles, Judged, Run


@runtime_checkable
class Measure(Protocol):
    """An IR measure; a frozen dataclass whose fields are its configuration."""

    @property
    def name(self) -> str:
        """The column's name, as the user wrote it: `MAP`, `nDCG@20`, `RBO(p=0.9)`."""

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher value means better retrieval."""

    @property
    def signature(self) -> str:
        """Everything that can move the number: parameters, cut-off, treatment of ties, library version."""

    @property
    def uses_qrels(self) -> bool:
        """Whether the measure reads judgments; False for RBO and others that compare with the ideal run alone."""

    def per_topic(self, run: Run, judged: Judged) -> Doubles:
        """One value for each of `judged.topic_ids`, in that order; a topic that retrieved nothing scores 0."""

    def aggregate(self, values: Doubles) -> Doubles:
        """The system's value from per-topic values, vectorised over leading axes: (..., topics) -> (...)."""
