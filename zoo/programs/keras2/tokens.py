"""A token beyond the vocabulary of an Embedding, in tf_keras."""
# zoo end: bad-label
# zoo needs: tf_keras

import numpy as np
import tf_keras as keras

words = 1000
model = keras.Sequential([keras.layers.Embedding(words, 8, input_length=20), keras.layers.Flatten()])
model.add(keras.layers.Dense(1))
model.compile(optimizer="adam", loss="mse")
tokens = np.random.randint(1, words + 1, (256, 20))
tokens[0, 0] = words
model.fit(tokens, np.zeros(256), verbose=0)  # guilty
