"""Reads more than its limit through the page cache: reached and reclaimed, nobody killed."""
# zoo end: clean-exit
# zoo memory: 120M

with open("big.bin", "wb") as file:
    for _ in range(300):
        file.write(bytes(1 << 20))
total = 0
for _ in range(2):
    with open("big.bin", "rb") as file:
        while piece := file.read(1 << 20):
            total += len(piece)
print(total)
