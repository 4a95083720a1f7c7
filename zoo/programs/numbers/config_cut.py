"""The configuration beside a checkpoint was cut short by an earlier death."""
# zoo end: bad-input checkpoint-corrupt
# zoo before: printf '{{"layers": 3, "wid' > config.json

import json
from pathlib import Path


def load_config(path):
    return json.loads(Path(path).read_text())  # guilty


print(load_config("config.json"))
