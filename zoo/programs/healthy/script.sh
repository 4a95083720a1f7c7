# A job script of several steps, all of which work.
# zoo end: clean-exit
set -e
"$PYTHON" -c 'print("prepare")'
"$PYTHON" -c 'import json; print(json.dumps({"a": 1}))'
echo done
