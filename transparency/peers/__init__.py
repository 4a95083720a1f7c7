"""Other projects' own test suites, each file plain and watched, compared test by test."""

from transparency.peers.run import run_peers

__all__ = ["run_peers"]
