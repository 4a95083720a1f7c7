"""A callback of tf.keras keeps the activations of every batch."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 1200M
# zoo needs: keras==2.13.1

import numpy as np
from tensorflow import keras


class Keep(keras.callbacks.Callback):
    def __init__(self, data):
        super().__init__()
        self.data = data
        self.kept = []

    def on_train_batch_end(self, batch, logs=None):
        self.kept.append(np.tanh(self.data))  # guilty


x = np.random.rand(2048, 256).astype("float32")
model = keras.Sequential([keras.layers.Dense(1, input_shape=(256,))])
model.compile(optimizer="sgd", loss="mse")
model.fit(x, x[:, 0], batch_size=32, epochs=1000, verbose=0, callbacks=[Keep(x)])
