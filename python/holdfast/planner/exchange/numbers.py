"""Constants of C++ headers and tables, written by tools/numbers: change them there."""

# capture_magic of src/fit/capture/capture_format.h
CAPTURE_MAGIC = b"HFFIT\x00"

# capture_version of src/fit/capture/capture_format.h
CAPTURE_VERSION = 1

# CaptureEventKind of src/fit/capture/capture_format.h
ALLOC = 1
FREE = 2
MARK = 3
SCRATCH = 4
ALLOC_BY_FACT = 5

# StorageRole of src/fit/capture/capture_format.h
ACTIVATION = 0
TEMPORARY = 1
WEIGHT = 2
GRADIENT = 3
OPTIMIZER = 4
WORKSPACE = 5
INPUT = 6

# Fact of src/fit/capture/capture_format.h
GEMM = 1
CONV = 2
REDUCE = 3
EMBEDDING_BACKWARD = 4
RNN_RESERVE = 5
RNN_WORK = 6
FIXED = 7
NORM_BACKWARD = 8
SORT = 9
ATTENTION_BACKWARD = 10

# Dtype of src/fit/capture/capture_format.h
FLOAT32 = 0
FLOAT16 = 1
BFLOAT16 = 2
FLOAT64 = 3

# Direction of src/fit/workspace/conv_table.h
FORWARD = 0
INPUT_GRADIENT = 1
WEIGHT_GRADIENT = 2

# plan_schema of src/fit/plan/plan.h
PLAN_SCHEMA = 1

# knowledge/own_code.txt: how, text, whether such code is the user's own
OWN_CODE = (
    ("begins", "<ipython-input", True),
    ("is", "<timed exec>", True),
    ("is", "<timed eval>", True),
    ("is", "<string>", True),
    ("is", "<stdin>", True),
    ("begins", "<", False),
    ("holds", "/__autograph_generated_file", False),
    ("holds", "/site-packages/", False),
    ("begins", "site-packages/", False),
    ("holds", "/dist-packages/", False),
    ("begins", "dist-packages/", False),
    ("holds", "/python/holdfast/", False),
    ("relative", ".pyx", False),
    ("relative", ".pxi", False),
    ("relative", ".pxd", False),
    ("relative", ".cc", False),
    ("relative", ".cpp", False),
    ("relative", ".c", False),
    ("holds", "/lib/python3.", False),
    ("holds", "/lib64/python3.", False),
    ("begins", "lib/python3.", False),
    ("begins", "lib64/python3.", False),
    ("holds", "/lib/python38.zip/", False),
    ("holds", "/lib/python39.zip/", False),
    ("holds", "/lib/python31", False),
)
