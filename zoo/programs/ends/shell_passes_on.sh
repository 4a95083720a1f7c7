# A job script starts the training, which fails, and passes the status on.
# zoo end: exception
set -e
"$PYTHON" -c 'raise ValueError("no such split: tests")'
