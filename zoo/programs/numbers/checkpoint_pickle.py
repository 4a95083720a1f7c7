"""A pickled scikit-learn model, truncated."""
# zoo end: checkpoint-corrupt
# zoo needs: sklearn

import pickle

import numpy as np
from sklearn.ensemble import RandomForestClassifier

model = RandomForestClassifier(20).fit(np.random.rand(200, 5), np.arange(200) % 2)
data = pickle.dumps(model)
with open("model.pkl", "wb") as file:
    file.write(data[: len(data) // 2])
with open("model.pkl", "rb") as file:
    model = pickle.load(file)  # guilty
