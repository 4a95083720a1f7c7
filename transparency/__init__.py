"""Runs programs plain and watched, and reports every difference."""
