"""Takes one key in raw mode, as an editor does, and puts the terminal back."""

import os
import termios
import tty

before = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"press")
key = os.read(0, 1)
termios.tcsetattr(0, termios.TCSADRAIN, before)
print(f"\nkey {key!r}")
