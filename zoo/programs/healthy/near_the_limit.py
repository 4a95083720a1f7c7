"""Peaks at nine tenths of its limit, gives it back, and does so again."""
# zoo end: clean-exit
# zoo memory: 256M

for _ in range(5):
    block = bytearray(b"x") * (200 << 20)
    del block
