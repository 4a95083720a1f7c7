"""Labels up to 10 for a Keras model with ten outputs."""
# zoo end: bad-label
# zoo needs: tensorflow

import keras
import numpy as np

model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(10)])
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(optimizer="sgd", loss=loss)
x = np.random.rand(64, 16)
y = np.arange(64) % 11
model.fit(x, y, batch_size=16, verbose=0)  # guilty
