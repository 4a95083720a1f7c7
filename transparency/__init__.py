"""Runs programs plain and watched, and tells every difference."""
