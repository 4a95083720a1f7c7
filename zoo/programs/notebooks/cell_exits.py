"""A cell calls os._exit, in the words of a library that gave up; nobody asked the kernel to end."""
# zoo end: exit-called
# zoo needs: ipykernel jupyter_client
# zoo run: {python} -m ipykernel_launcher -f ./kernel.json
# zoo beside: {python} {zoo}/neighbours/notebook.py {zoo}/programs/notebooks/cell_exits.py while-busy

# %%
attempts = 3
# %%
import os

print("shutdown_request: giving up after", attempts)
os._exit(0)
