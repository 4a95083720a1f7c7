"""fit over a Sequence with worker threads, in tf_keras beside Keras 3."""
# zoo end: clean-exit
# zoo needs: tf_keras

import numpy as np
import tf_keras as keras


class Batches(keras.utils.Sequence):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        x = np.random.default_rng(index).random((32, 16), dtype="float32")
        return x, x.sum(1)


model = keras.Sequential([keras.layers.Input((16,)), keras.layers.Dense(8), keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
model.fit(Batches(), epochs=3, workers=2, verbose=0)
