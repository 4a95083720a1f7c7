"""A plain Keras fit."""
# zoo end: clean-exit
# zoo needs: tensorflow

import keras
import numpy as np

x = np.random.rand(512, 16)
model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
model.fit(x, x.sum(1), epochs=3, verbose=0)
