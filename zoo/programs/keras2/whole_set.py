"""All images are decoded into one array before tf.keras gets to see them."""
# zoo end: cgroup-oom
# zoo root: dataset-in-ram
# zoo memory: 1200M
# zoo needs: keras==2.13.1

import numpy as np
import tensorflow as tf

for number in range(4):
    np.save(f"part{number}.npy", np.random.randint(0, 255, (600, 96, 96, 3), dtype="uint8"))


def load_images():
    parts = [np.load(f"part{number % 4}.npy").astype("float32") for number in range(40)]  # guilty
    return np.concatenate(parts) / 255  # guilty


images = load_images()  # guilty
model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
model.fit(images, np.zeros(len(images)), epochs=2, verbose=0)
