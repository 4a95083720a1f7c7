"""Ends with an exception that has a cause, in a function of the main module."""

import hooks_busy  # noqa: F401


class OwnError(Exception):
    pass


def inner(table):
    try:
        return table["missing"]
    except KeyError as error:
        raise OwnError("the table is empty") from error


def outer():
    inner({})


outer()
