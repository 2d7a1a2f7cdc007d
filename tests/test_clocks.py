"""No test compares what a clock says: a busy machine would make it fail, and a fast one would hide what is slow.

What must be fast is counted (`tests/counting.py`) or measured in benchmarks/. What is waited for has no limit but
pytest's (`tests/waiting.py`). Memory may be asserted of a process that does nothing else.
"""

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parent
CLOCK = re.compile(
    r"\btime\.(time|monotonic|perf_counter|process_time|thread_time)(_ns)?\b|\bfrom time import (?!sleep)|perf_counter"
    r"|getrusage|\bru_[us]time|timeit|\.(now|utcnow)\(|get_traced_memory|cpu_times|memory_info|os\.times"
)
READ = {
    "docs/pages.py": 2,  # how long a command of a page may take
    "labs/models/test_program.py": 2,  # puts the clock forward
    "labs/models/test_translating.py": 1,  # the age of a file
    "net/write.py": 2,  # shown to who writes digests
    "systems/test_pending.py": 1,  # the age of a file
    "test_limits.py": 1,  # memory
}
"""How often a clock is read where nothing is compared with it."""


def test_a_clock_is_read_only_where_nothing_is_compared_with_it() -> None:
    found = {path.relative_to(TESTS).as_posix(): path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py")}
    read = {name: len(list(CLOCK.finditer(text))) for name, text in found.items() if name != Path(__file__).name}
    assert {name: n for name, n in read.items() if n} == READ
