"""All records of a file as dictionaries in a list."""
# zoo end: cgroup-oom
# zoo root: dataset-in-ram host-leak
# zoo memory: 400M
# zoo before: {python} -c "import json; f=open('r.jsonl','w'); [f.write(json.dumps(dict(id=i, name='name %d' % i, tags=['a','b',str(i)], score=i/3))+chr(10)) for i in range(900000)]"

import json


def records(path):
    with open(path) as file:
        return [json.loads(line) for line in file]  # guilty


data = records("r.jsonl")
print(len(data))
