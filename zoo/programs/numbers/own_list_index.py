"""An IndexError of a plain list: nobody's label, only a mistake."""
# zoo end: exception

names = ["cat", "dog"]
predictions = [0, 1, 2]
for p in predictions:
    print(names[p])  # guilty
