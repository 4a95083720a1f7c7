"""Parses all lines of a corpus into dictionaries before using the first one."""
# zoo end: cgroup-oom
# zoo root: dataset-in-ram host-leak
# zoo memory: 250M
# zoo before: {python} -c "f = open('c.jsonl', 'w'); [f.write('%s' % chr(123) + chr(34) + 'text' + chr(34) + ':' + chr(34) + 'word ' * 60 + str(i) + chr(34) + chr(125) + chr(10)) for i in range(900_000)]"

import json


def load_corpus(path):
    with open(path) as file:
        return [json.loads(line) for line in file]  # guilty


corpus = load_corpus("c.jsonl")
print(len(corpus))
