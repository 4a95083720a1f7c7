"""The GPU that is not there: torch runs on it, and every birth and death is noted."""
