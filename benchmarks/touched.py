"""Which functions of the package each test runs: a plug-in of pytest, `-p benchmarks.touched`, for `mutants.py`.

Adds a line of JSON for each test to the file that CLIRBENCH_TOUCHED names: its name, its seconds, and the functions
(file:first line) that ran in its own process.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

PACKAGE = str(Path(__file__).resolve().parents[1] / "clirbench")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        codes.add(frame.f_code)

    start = time.monotonic()
    sys.setprofile(note)
    threading.setprofile(note)
    try:
        return (yield)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        ran = sorted(
            f"{code.co_filename[len(PACKAGE) + 1 :]}:{code.co_firstlineno}"
            for code in codes
            if code.co_filename.startswith(PACKAGE)
        )
        with Path(os.environ["CLIRBENCH_TOUCHED"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps([item.nodeid, round(time.monotonic() - start, 3), ran]) + "\n")
