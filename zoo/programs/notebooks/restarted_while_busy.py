"""Somebody loses patience with a cell and restarts the kernel, which still has to be killed."""
# zoo end: shut-down
# zoo needs: ipykernel jupyter_client
# zoo run: {python} -m ipykernel_launcher -f ./kernel.json
# zoo beside: {python} {zoo}/neighbours/notebook.py {zoo}/programs/notebooks/restarted_while_busy.py while-busy

# %%
import os
import time

with open("ready", "w") as file:
    file.write(str(os.getpid()))
weights = [1.0] * 1000
# %%
while True:
    weights = [weight * 0.999 for weight in weights]
    time.sleep(0.01)
