"""Another program fills the memory, but earlyoom was told to avoid it: this small one has to go."""
# zoo end: userspace-oom
# zoo tools: earlyoom
# zoo beside: sh {zoo}/neighbours/earlyoom.sh 600 8000 --avoid "^(head|tail|sh)$" & while ! test -s ready; do sleep 0.1; done; head -c 1200M /dev/zero | tail

import os
import time

weights = [index * 0.5 for index in range(1_000_000)]
with open(os.path.join(os.environ["ZOO_DIR"], "ready"), "w") as file:
    file.write(str(os.getpid()))
while True:
    weights = [weight * 0.999 for weight in weights]
    time.sleep(0.05)
