"""A gap in the validation data makes val_loss nan; training itself is fine."""
# zoo end: clean-exit
# zoo also: nan-loss
# zoo needs: keras==2.15.0

import numpy as np
import tensorflow as tf

x = np.random.rand(256, 8).astype("float32")
y = x.sum(1)
held_out = x[:32].copy()
held_out[7, 3] = np.nan
model = tf.keras.Sequential([tf.keras.layers.Dense(8), tf.keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
model.fit(x, y, epochs=3, verbose=0, validation_data=(held_out, y[:32]))
