"""Holdfast in Jupyter: magics, a kernel provisioner, and messages on the ports of a dead kernel.

Nothing here is imported before it is used: ``%load_ext holdfast`` loads the magics,
jupyter_client the provisioner by its entry point, and ``last_words`` is compiled into the program.
"""
