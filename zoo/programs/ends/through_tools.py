"""Nine tools that set something and then start a program stand before the training, which fails."""
# zoo end: exception
# zoo tools: env nice ionice chrt setpriv numactl stdbuf nohup unshare time
# zoo run: time env LAYERS=2 nice -n 1 ionice -c 3 chrt -o 0 setpriv --nnp numactl -l stdbuf -oL unshare -f nohup {python} {file}

import os
import time

time.sleep(0.3)
layers = [1.0] * int(os.environ["LAYERS"])
print(layers[2])  # guilty
