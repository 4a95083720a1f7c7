"""tf.debugging finds the first number that is not finite, inside tf_keras."""
# zoo end: exception
# zoo root: nan-loss
# zoo needs: tf_keras

import numpy as np
import tensorflow as tf
import tf_keras

tf.debugging.enable_check_numerics()
x = np.random.rand(64, 4).astype("float32")
model = tf_keras.Sequential([tf_keras.layers.Dense(4), tf_keras.layers.Lambda(tf.math.log)])
model.compile(optimizer="sgd", loss="mse")
model.fit(x - 5, x, epochs=2, verbose=0)  # guilty
