"""The readers of the laboratory, for the fuzzer."""

from clirbench.labs.papers.people import read_human
from clirbench.labs.papers.published import read_author_table
from tests.fuzz.readers import Reader

READERS = (
    Reader("human.tsv", "system\tline\tscore\na\t1\t.5\na\t2\t70\nb\t1\t3\n", lambda p: read_human(p, ["a", "b"], 2)),
    Reader("authors.tsv", "x\ty\n1\t2\n3\t4\n", read_author_table),
)  # fmt: skip
