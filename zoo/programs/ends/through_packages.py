"""Two managers of packages start the training in their environment, which fails."""
# zoo end: exception
# zoo tools: poetry uv
# zoo environment: POETRY_VIRTUALENVS_CREATE=false UV_OFFLINE=1
# zoo before: printf '[project]\nname = "train"\nversion = "1"\n' > pyproject.toml
# zoo run: poetry run uv run --no-project --python {python} {file}

import time

time.sleep(0.3)
weights = [1.0, 2.0]
print(weights[2])  # guilty
