"""Touches a page of memory that the hardware has reported broken."""
# zoo end: ram-errors
# zoo documented: SIGBUS with BUS_MCEERR_AR, and the kernel's line about the page

table = bytearray(1 << 30)
for i in range(0, len(table), 4096):
    table[i] = 1  # guilty
