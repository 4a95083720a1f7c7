"""Three epochs of four batches of Keras, with the backend that is named."""

import os
import sys

os.environ["KERAS_BACKEND"] = sys.argv[1]
import keras
import numpy

model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
model.fit(numpy.ones((32, 4)), numpy.zeros((32, 1)), batch_size=8, epochs=3, verbose=0)
