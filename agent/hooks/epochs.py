"""Epochs and losses of trainers whose steps torch's optimizers already count."""
