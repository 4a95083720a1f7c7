"""A plot window on a machine without a display."""
# zoo end: no-display
# zoo needs: tkinter

import os
import tkinter

os.environ.pop("DISPLAY", None)
window = tkinter.Tk()  # guilty
