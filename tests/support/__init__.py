"""Shared by the end-to-end tests: the program under test, control groups, terminals, /proc."""
