"""A notebook is closed after its cells have run: the server asks the kernel to end."""
# zoo end: shut-down
# zoo outcome: finished
# zoo needs: ipykernel jupyter_client
# zoo run: {python} -m ipykernel_launcher -f ./kernel.json
# zoo beside: {python} {zoo}/neighbours/notebook.py {zoo}/programs/notebooks/shut_down.py close

# %%
import random

losses = [random.random() / (step + 1) for step in range(1000)]
# %%
print(sum(losses) / len(losses))
