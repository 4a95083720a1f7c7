"""Keras models: what they train on, where they train, and their steps, reckoned layer by layer."""
