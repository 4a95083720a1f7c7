"""The user's program: run as it is, or with one change; what feeds it."""
