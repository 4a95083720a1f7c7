"""Restart kernel, after a cell that failed: the exception is not what ended it."""
# zoo end: shut-down
# zoo outcome: finished
# zoo needs: ipykernel jupyter_client
# zoo run: {python} -m ipykernel_launcher -f ./kernel.json
# zoo beside: {python} {zoo}/neighbours/notebook.py {zoo}/programs/notebooks/restarted.py restart

# %%
batch = {"image": [0.0] * 1000, "label": 3}
# %%
print(batch["target"])
# %%
print("once more", len(batch))
