"""earlyoom kills a large neighbour; a moment later somebody stops this program."""
# zoo end: killed
# zoo tools: earlyoom
# zoo beside: sh {zoo}/neighbours/earlyoom.sh 500 8000 & watcher=$!; {python} {zoo}/neighbours/eat.py slowly; kill $watcher; sleep 4; kill -TERM $(cat ready)

import os
import time

rows = [index * 0.5 for index in range(200_000)]
with open(os.path.join(os.environ["ZOO_DIR"], "ready"), "w") as file:
    file.write(str(os.getpid()))
while True:
    total = sum(rows)
    time.sleep(0.05)
