"""What the analyses say of evidence made by hand."""

from clirbench.engines.local import Serial
from clirbench.result import Analysis, Experiment, Result
from clirbench.statistics.grades import Evidence


def result_of(evidence: Evidence) -> Result:
    """A result whose evidence is given."""

    class Given(Result):
        @property
        def evidence(self) -> Evidence:
            return evidence

    return Given(Experiment("test", Serial()), evidence.board, ())


def text_of(analysis: Analysis, evidence: Evidence) -> str:
    return "\n".join(sentence for table in analysis.tables(result_of(evidence)) for sentence in table.text)
