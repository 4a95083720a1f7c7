"""One array for the whole corpus, in double precision: more than the machine has free."""
# zoo end: host-oom
# zoo root: dataset-in-ram host-oom
# zoo device: a machine of its own, 40 GiB of its 128 free

import numpy

documents, width = 60_000_000, 128
print("embedding", documents, "documents", flush=True)
corpus = numpy.ones((documents, width), dtype=numpy.float64)  # guilty
print(corpus.mean())
