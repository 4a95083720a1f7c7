"""A callback keeps the predictions on the whole validation set after every epoch."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 1400M
# zoo needs: keras==2.15.0

import numpy as np
import tensorflow as tf

history = []


class Watch(tf.keras.callbacks.Callback):
    def __init__(self, data):
        super().__init__()
        self.data = data

    def on_epoch_end(self, epoch, logs=None):
        scores = self.model.predict(self.data, batch_size=2048, verbose=0)
        history.append({"epoch": epoch, "scores": np.repeat(scores, 512, axis=1)})  # guilty


x = np.random.rand(20000, 32).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(8), tf.keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
model.fit(x, x[:, 0], batch_size=4000, epochs=1000, verbose=0, callbacks=[Watch(x)])
