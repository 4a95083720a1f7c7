"""TensorFlow 1 style: eager execution is off, and the loop keeps a copy of every epoch's data."""
# zoo end: cgroup-oom
# zoo root: host-leak
# zoo memory: 1200M
# zoo needs: keras==2.13.1

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

x = np.random.rand(4096, 256).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(256,))])
model.compile(optimizer="sgd", loss="mse")
noisy = []
while True:
    noisy.append(x + np.random.normal(size=x.shape).astype("float32"))  # guilty
    model.fit(noisy[-1], x[:, 0], batch_size=512, epochs=1, verbose=0)
