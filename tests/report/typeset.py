"""LaTeX that is really compiled, as in a paper that loads what our documentation says and nothing else."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

PAPER = "\\documentclass{article}\n\\usepackage{booktabs,graphicx,textcomp}\n\\begin{document}\n%s\n\\end{document}\n"


def typeset(tables: Sequence[str], folder: Path) -> int:
    """Pages of a paper with these tables, each on a page of its own; fails with what LaTeX says against one."""
    if shutil.which("pdflatex") is None:
        pytest.skip("NO LATEX: pdflatex is absent (Debian: texlive-latex-recommended), no table is compiled")
    (folder / "paper.tex").write_text(PAPER % "\n\\clearpage\n".join(tables), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=200)
    log = (folder / "paper.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, log[log.find("\n!") :][:1000]
    assert "Overfull \\hbox" not in log, log[log.find("Overfull") :][:200]
    return int(log.rpartition(" page")[0].rpartition("(")[2])
