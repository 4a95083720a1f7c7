"""An .h5 file of weights that was cut off when the disk was full."""
# zoo end: checkpoint-corrupt
# zoo needs: keras==2.13.1

import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(300, input_dim=40)])
model.save_weights("model.h5")
with open("model.h5", "r+b") as file:
    file.truncate(9000)
model.load_weights("model.h5")  # guilty
