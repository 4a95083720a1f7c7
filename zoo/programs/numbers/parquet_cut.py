"""A Parquet file whose copy was interrupted."""
# zoo end: bad-input
# zoo needs: pandas pyarrow

import pandas as pd

pd.DataFrame({"a": range(100_000)}).to_parquet("part.parquet")
with open("part.parquet", "r+b") as file:
    file.truncate(1000)
pd.read_parquet("part.parquet")  # guilty
