"""Joins, groups and filters data frames, as a program that prepares features does."""

import loop
import numpy as np
import pandas as pd

options = loop.options(rows=2_000)
random = np.random.default_rng(0)
pieces = [
    pd.DataFrame(
        {
            "user": random.integers(0, 200, options.rows),
            "price": random.random(options.rows),
            "kind": random.choice(["red", "green", "blue"], options.rows),
        }
    )
    for _ in range(8)
]


def turn() -> float:
    table = pd.concat(pieces, ignore_index=True)
    table["log"] = np.log1p(table["price"])
    by_user = table.groupby("user").agg({"price": ["mean", "max"], "log": "sum"})
    by_user.columns = ["mean", "max", "log"]
    merged = table.merge(by_user, left_on="user", right_index=True)
    kept = merged[merged["price"] > merged["mean"]]
    return float(kept.groupby("kind")["price"].sum().sum())


loop.measure(turn, options.loops)
