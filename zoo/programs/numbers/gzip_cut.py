"""A compressed data file that was cut while it was copied."""
# zoo end: bad-input
# zoo before: {python} -c "import gzip, os; d = gzip.compress(os.urandom(300000)); open('d.gz', 'wb').write(d[:100000])"

import gzip


def lines(path):
    with gzip.open(path) as file:
        for line in file:  # guilty
            yield line


print(sum(len(x) for x in lines("d.gz")))  
