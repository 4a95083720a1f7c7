"""Captures of training steps: pretended, or from small real runs."""
