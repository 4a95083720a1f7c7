"""A plain fit of tf.keras with a validation set and the usual callbacks."""
# zoo end: clean-exit
# zoo needs: keras==2.13.1

import numpy as np
import tensorflow as tf

x = np.random.rand(512, 16).astype("float32")
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(32, activation="relu", input_shape=(16,)), tf.keras.layers.Dense(1)]
)
model.compile(optimizer="adam", loss="mse", metrics=["mae"])
callbacks = [
    tf.keras.callbacks.EarlyStopping(patience=2),
    tf.keras.callbacks.ModelCheckpoint("best.h5", save_best_only=True),
]
model.fit(x, x.sum(1), epochs=5, validation_split=0.2, verbose=2, callbacks=callbacks)
