"""An annotation file was cut off in the middle."""
# zoo end: bad-input

import json


def read(path):
    with open(path) as file:
        return json.load(file)  # guilty


with open("labels.json", "w") as file:
    file.write('{"images": [{"id": 1, "file": "a.png"}, {"id": 2, "fi')
read("labels.json")
