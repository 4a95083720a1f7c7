"""Two products of a model's own call() do not fit; tf.function runs a copy of it from another file."""
# zoo end: shape-mismatch
# zoo needs: keras==2.13.1

import numpy as np
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.query = tf.keras.layers.Dense(8)
        self.key = tf.keras.layers.Dense(8)

    def call(self, x):
        query = self.query(x)
        return tf.matmul(query, self.key(x))  # guilty


model = Net()
model.compile("sgd", "mse")
model.fit(np.zeros((32, 4)), np.zeros((32, 8)), verbose=0)
