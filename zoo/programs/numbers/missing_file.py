"""A path of the data set does not exist."""
# zoo end: exception

import csv


def rows(path):
    with open(path) as file:  # guilty
        return list(csv.reader(file))


rows("data/train/part-0007.csv")
