"""Will it fit: captures a training step without a GPU; the ``holdfast`` program does the rest."""
