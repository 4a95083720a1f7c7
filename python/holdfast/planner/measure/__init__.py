"""What only a real GPU can tell: the workspaces of its libraries, and whether a plan was right."""
