"""TerminateOnNaN ends a fit of tf.keras early; the program finishes, with a model of NaNs."""
# zoo end: clean-exit
# zoo also: nan-loss
# zoo needs: keras==2.13.1

import numpy as np
from tensorflow import keras

x = np.random.rand(256, 8)
y = x.sum(1)
model = keras.Sequential([keras.layers.Dense(64, input_dim=8), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.SGD(1e8), loss="mse")
model.fit(x, y, epochs=5, batch_size=16, verbose=0, callbacks=[keras.callbacks.TerminateOnNaN()])
