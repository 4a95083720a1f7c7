"""Reads the zoo's program headers, runs the programs, records and scores their verdicts."""
