"""Constants of C++ headers and tables, written by tools/numbers: change them there."""

# AgentNoteKind of src/record/agent_format.h
NOTE_NONE = 0
NOTE_WARNING = 1
NOTE_SHUTDOWN_REQUEST = 2
NOTE_CELL = 3
NOTE_CUDA_OOM = 4
NOTE_HOOK_FAILED = 5
NOTE_FRAMEWORK = 7
NOTE_KEPT_TENSORS = 8
NOTE_NONFINITE = 9
NOTE_VALIDATION = 10
NOTE_COLLECTOR_OFF = 11

# GuardEventKind of src/record/guard_format.h
GUARD_NONE = 0
GUARD_REFUSED = 1
GUARD_TOO_LARGE = 2
GUARD_NOTHING_LEFT = 3
GUARD_BRINK = 4

# brink_signal of src/record/guard_format.h
BRINK_SIGNAL = 23

# cell_slot_size of src/record/cells_box.h
CELL_SLOT_SIZE = 16384

# cell_slots of src/record/cells_box.h
CELL_SLOTS = 64

# cell_running of src/record/cells_box.h
CELL_RUNNING = b"R"

# cell_ended of src/record/cells_box.h
CELL_ENDED = b"E"

# stall_told of src/record/run_directory.h
STALL_TOLD = "trouble-stall.txt"

# leak_told of src/record/run_directory.h
LEAK_TOLD = "trouble-leak.txt"

# steps_of_scikit_learn of src/model/agent_evidence.h
STEPS_OF_SCIKIT_LEARN = "sklearn partial_fit"

# steps_of_torch of src/model/agent_evidence.h
STEPS_OF_TORCH = "torch optimizer"

# steps_of_keras of src/model/agent_evidence.h
STEPS_OF_KERAS = "keras fit"

# steps_of_program of src/model/agent_evidence.h
STEPS_OF_PROGRAM = "holdfast.step()"

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
