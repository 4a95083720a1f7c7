"""One-hot labels of another width than the last layer, in tf.keras of TensorFlow 2.15."""
# zoo end: shape-mismatch
# zoo needs: keras==2.15.0

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(5, activation="softmax", input_dim=4)])
model.compile(loss="categorical_crossentropy", optimizer="adam")
labels = tf.keras.utils.to_categorical(np.arange(32) % 7)
model.fit(np.zeros((32, 4)), labels, verbose=0)  # guilty
