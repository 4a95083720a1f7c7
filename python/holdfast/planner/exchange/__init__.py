"""What this side and the ``holdfast`` program say to each other: requests, files, numbers."""
