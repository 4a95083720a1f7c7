"""A KeyError in the user's own code."""
# zoo end: exception

config = {"lr": 1e-3}


def build():
    return config["batch_size"]  # guilty


build()
