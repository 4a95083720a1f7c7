"""Three epochs of three batches of Keras 2, with a validation: tf.keras, graph mode or tf_keras."""

import sys

import numpy
import tensorflow as tf

if sys.argv[1] == "tf_keras":
    import tf_keras as keras
else:
    keras = tf.keras
if sys.argv[1] == "graph":
    tf.compat.v1.disable_eager_execution()

model = keras.Sequential([keras.layers.Dense(1, input_shape=(4,))])
model.compile(optimizer="sgd", loss="mse", metrics=["mae"])
x = numpy.ones((32, 4), "float32")
y = numpy.zeros((32, 1), "float32")
model.fit(x, y, batch_size=8, epochs=3, validation_split=0.25, verbose=int(sys.argv[2]))
