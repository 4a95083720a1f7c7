# A shell script with a time limit of its own.
# zoo end: killed
timeout 3 "$PYTHON" -c "import time; time.sleep(60)"
