"""A batch of tf.keras whose activations are larger than the container."""
# zoo end: cgroup-oom
# zoo memory: 1500M
# zoo needs: keras==2.13.1

import numpy as np
import tensorflow as tf

layers = tf.keras.layers
model = tf.keras.Sequential(
    [
        layers.Conv2D(64, 3, activation="relu", padding="same", input_shape=(96, 96, 3)),
        layers.Conv2D(64, 3, activation="relu", padding="same"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(10),
    ]
)
model.compile(
    optimizer="adam", loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
)
images = np.random.rand(768, 96, 96, 3).astype("float32")
model.fit(images, np.arange(768) % 10, batch_size=768, verbose=0)  # guilty
