"""A loop that numba compiles, with arrays made inside."""

import numba
import numpy


@numba.njit
def total(count):
    whole = 0.0
    for number in range(count):
        whole += numpy.full(100, float(number))[0]
    return whole


print(int(total(10_000)))
