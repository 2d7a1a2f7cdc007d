"""Both sides joined, on a small folder whose losses are made by hand."""

from collections import Counter
from pathlib import Path

from clirbench.files.tables import read_table
from clirbench.labs.papers.analyses.lost_topics import lost_term
from tests.conftest import Cli, write_lines


def test_one_term_by_hand() -> None:
    english = {"1": Counter(cat=2), "2": Counter(cat=1), "3": Counter(dog=1)}
    ours = {"1": Counter(cat=3), "2": Counter(cat=1), "3": Counter()}  # clipped at 2
    theirs = {"1": Counter(cat=1), "2": Counter(), "3": Counter(cat=1)}
    found = lost_term("t", "cat", ["1", "2", "3"], english, ours, theirs)
    assert (found.documents, found.refs, found.match_a, found.match_b) == (2, 3, 3, 1)
    assert found.lost_in == "1 (2/1 of 2), 2 (1/0 of 1)"


def folder_of(path: Path) -> Path:
    """Two documents on volcanoes, four on other things; `bad` calls volcanoes mountains."""
    lines = ["the volcano erupted at night", "a volcano in the south smokes", "the harbour is closed today",
             "bread prices rise again", "the harbour opens tomorrow", "rain is expected in the north"]  # fmt: skip
    (path / "systems").mkdir(parents=True)
    write_lines(path / "reference.txt", lines)
    write_lines(path / "systems" / "good.txt", lines)
    write_lines(path / "systems" / "bad.txt", [line.replace("volcano", "mountain") for line in lines])
    write_lines(path / "topics.tsv", ["v\tvolcano", "h\tharbour"])
    return path


def test_the_lost_term_the_documents_and_the_favoritism(cli: Cli, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "set")
    done = cli(
        f"folder={folder}", "topics=tsv", f"topics.path={folder / 'topics.tsv'}", "metric=[BLEU]", "measures=[MAP]",
        "relevance.k=2", "analysis=[lost_topics]", "pair=[good,bad]", "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (topic,) = read_table(cli.cwd / "out" / "lost_topics.tsv").records()  # harbour is the same for both
    assert (topic["topic_id"], topic["difference"], topic["relevant"]) == ("v", "1.0", "2")
    assert (topic["recall_a"], topic["recall_b"], topic["lost_terms"]) == ("100.0", "0.0", "volcano (2)")
    assert float(topic["favoritism"]) > 0
    (term,) = read_table(cli.cwd / "out" / "lost_terms.tsv").records()
    assert (term["term"], term["refs"], term["match_a"], term["match_b"]) == ("volcano", "2", "2", "0")
    assert term["lost_in"] == "1 (1/0 of 1), 2 (1/0 of 1)"
    report = (cli.cwd / "out" / "report.md").read_text(encoding="utf-8")
    assert "Of the 1 topics with the largest difference, 1 have a query term" in report


def test_retrieval_is_needed(cli: Cli, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "set")
    done = cli(f"folder={folder}", "measures=[]", "metric=[BLEU]", "analysis=[lost_topics]", "hydra.run.dir=out")
    assert done.returncode == 1
    assert "analysis lost_topics needs retrieval" in done.stderr
