"""A Keras callback keeps the activations of every batch."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 1200M
# zoo needs: tensorflow

import keras
import numpy as np


class Keep(keras.callbacks.Callback):
    def __init__(self, data):
        super().__init__()
        self.data = data
        self.kept = []

    def on_train_batch_end(self, batch, logs=None):
        self.kept.append(np.tanh(self.data))  # guilty


x = np.random.rand(2048, 256).astype("float32")
model = keras.Sequential([keras.Input((256,)), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
model.fit(x, x[:, 0], batch_size=32, epochs=1000, verbose=0, callbacks=[Keep(x)])
