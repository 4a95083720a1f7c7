# An image for another CPU, run under emulation, where the program crashes.
# zoo end: emulated-cpu
# zoo documented: qemu's last words before it raises the signal itself
exec "$PYTHON" train.py
