"""DataFrames of other libraries (polars, pyarrow, duckdb, ...) as those of pandas."""

from typing import TYPE_CHECKING

from clirbench.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


def pandas_frame(given: object) -> "pd.DataFrame | None":
    """A frame of any library that narwhals reads, as a DataFrame of pandas; None for what is no frame.

    A DataFrame of pandas is itself; of another library, a missing cell is None or NaN, and rows are numbered from 0.
    A frame that is computed when it is needed (polars' LazyFrame) is computed. Raises `InputError` for two columns of
    one name.
    """
    import pandas as pd

    if isinstance(given, pd.DataFrame):
        return given
    import narwhals.stable.v2 as narwhals

    try:
        read = narwhals.from_native(given)  # type: ignore[call-overload]
        computed = read.collect() if isinstance(read, narwhals.LazyFrame) else read
        return pd.DataFrame(computed.to_dict(as_series=False))
    except narwhals.exceptions.DuplicateError as error:
        raise InputError(f"the DataFrame: {' '.join(str(error).split())}; rename one of them") from None
    except TypeError:
        return None
