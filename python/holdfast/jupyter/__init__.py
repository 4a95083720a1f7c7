"""Holdfast in Jupyter: magics, a kernel provisioner, and what a dead kernel's ports still say.

Nothing here is imported before it is asked for: ``%load_ext holdfast`` loads the magics,
jupyter_client the provisioner by its entry point, and ``last_words`` is compiled into the program.
"""
