"""The test table has one column less than the training table."""
# zoo end: shape-mismatch
# zoo needs: sklearn

import numpy as np
from sklearn.linear_model import LogisticRegression

rng = np.random.default_rng(0)
model = LogisticRegression().fit(rng.random((50, 6)), rng.integers(0, 2, 50))
model.predict(rng.random((10, 5)))  # guilty
