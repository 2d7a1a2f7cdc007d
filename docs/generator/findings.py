"""`python docs/generator/findings.py` draws the figures of the findings from the tables in docs/data."""

from pathlib import Path

from clirbench.labs.collections.atlas_figures import figures

DOCS = Path(__file__).resolve().parents[1]

if __name__ == "__main__":
    for name, drawn in figures(DOCS / "data").items():
        (DOCS / "pictures" / f"findings-{name}.svg").write_text(drawn, encoding="utf-8", newline="\n")
