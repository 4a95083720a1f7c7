"""A Keras model is fed images of another size than it was built for."""
# zoo end: shape-mismatch
# zoo needs: tensorflow

import keras
import numpy as np

model = keras.Sequential([keras.Input((28, 28)), keras.layers.Flatten(), keras.layers.Dense(10)])
model.compile(loss="sparse_categorical_crossentropy")
model.fit(np.zeros((8, 32, 32)), np.zeros(8), verbose=0)  # guilty
