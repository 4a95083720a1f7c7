"""A parquet file that is small on disk and large in memory."""
# zoo end: cgroup-oom alloc-refused
# zoo root: dataset-in-ram
# zoo memory: 400M
# zoo before: {python} -c "import pyarrow as a, pyarrow.parquet as p; p.write_table(a.table({{'x': ['some text of the user number one'] * 8_000_000, 'y': [1] * 8_000_000}}), 'big.parquet')"
# zoo needs: pyarrow pandas

import pyarrow.parquet as pq


class Corpus:
    def __init__(self, path):
        self.path = path

    def load(self):
        table = pq.read_table(self.path)  # guilty
        return table.to_pandas()  # guilty


frame = Corpus("big.parquet").load()
print(frame.describe())
