"""clirbench: does an MT metric predict retrieval quality, how sure is that, and which checkpoint to ship."""

from pathlib import Path

__version__ = "0.1.0"

# `python -m clirbench.fetch` is `clirbench fetch`: commands are found one folder higher than they lie.
__path__ = [*__path__, str(Path(__file__).with_name("commands"))]
