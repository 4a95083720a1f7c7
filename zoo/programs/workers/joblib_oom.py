"""joblib workers each build a large matrix; loky reports a worker killed."""
# zoo end: worker-oom
# zoo root: worker-oom host-leak dataset-in-ram worker-copies
# zoo role: worker
# zoo memory: 500M
# zoo needs: joblib numpy

import numpy as np
from joblib import Parallel, delayed


def features(i):
    return np.ones((i * 40, 1024, 1024)).sum()  # guilty


if __name__ == "__main__":
    print(Parallel(n_jobs=2)(delayed(features)(i) for i in range(4)))
