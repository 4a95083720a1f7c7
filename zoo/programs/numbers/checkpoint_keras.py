"""A .keras file that is no zip archive any more."""
# zoo end: checkpoint-corrupt
# zoo needs: tensorflow

import keras

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(300)])
model.save("model.keras")
with open("model.keras", "r+b") as file:
    file.truncate(900)
keras.models.load_model("model.keras")  # guilty
