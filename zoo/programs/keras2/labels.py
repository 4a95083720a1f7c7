"""Labels from 1 to 10 for a model of tf.keras with ten outputs."""
# zoo end: bad-label
# zoo needs: keras==2.13.1

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(10, input_shape=(16,), activation="softmax")])
model.compile(optimizer="sgd", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
x = np.random.rand(64, 16)
y = np.arange(64) % 10 + 1
model.fit(x, y, batch_size=16, verbose=0)  # guilty
