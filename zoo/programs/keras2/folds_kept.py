"""Cross-validation keeps every fold's model and its data."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 1500M
# zoo needs: keras==2.13.1

import numpy as np
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential

x = np.random.rand(4000, 512).astype("float32")
y = x.sum(axis=1)
kept = []


def fold(seed):
    rng = np.random.default_rng(seed)
    part = rng.permutation(len(x))
    train = np.concatenate([x[part], x[part] ** 2], axis=1)  # guilty
    model = Sequential([Dense(32, input_dim=1024), Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    model.fit(train, y[part], batch_size=512, epochs=1, verbose=0)
    return model, train


for seed in range(1000):
    kept.append(fold(seed))  # guilty
