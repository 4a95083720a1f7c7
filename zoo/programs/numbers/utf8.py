"""A text corpus in Latin-1 read as UTF-8."""
# zoo end: bad-input

with open("corpus.txt", "wb") as file:
    file.write("Stra\xdfe\n".encode("latin-1"))
with open("corpus.txt", encoding="utf-8") as file:
    lines = [line.strip() for line in file]  # guilty
