"""The page docs/explanation/validity.md, written from what benchmarks/validity.py found."""


def page(rows, seed):
    return "\n".join(
        f"{r.world:45s}|{r.kind} {r.what:45s}|{r.rate:.3f} {r.low:.3f} {r.high:.3f}|{r.said:.2f}|{r.width:.2f}/{r.oracle:.2f}|{r.adjusted:.2f}|{r.repetitions} {r.verdict}"
        for r in rows
    )
