"""A model of tf.keras is fed images of another size than it was built for."""
# zoo end: shape-mismatch
# zoo needs: keras==2.13.1

import numpy as np
from tensorflow import keras

model = keras.Sequential([keras.layers.Flatten(input_shape=(28, 28)), keras.layers.Dense(10)])
model.compile(loss="sparse_categorical_crossentropy")
model.fit(np.zeros((8, 32, 32)), np.zeros(8), verbose=0)  # guilty
