"""Constants of C++ headers and tables, written by tools/numbers: change them there."""

# exit_no_run of cli/verbs.h
EXIT_NO_RUN = 3

# verdict_schema of src/model/verdict.h
VERDICT_SCHEMA = 1

# check_schema of src/model/check_report.h
CHECK_SCHEMA = 1

# stall_told of src/record/run_directory.h
STALL_TOLD = "trouble-stall.txt"

# leak_told of src/record/run_directory.h
LEAK_TOLD = "trouble-leak.txt"

# many_worthless_steps of src/supervise/step_watch.h
MANY_WORTHLESS_STEPS = 100

# HoldfastInterface of loader/interface/interface.h
LOADER_VERSION = 2

# HoldfastNext of loader/interface/interface.h
READY = 0
END = 1
HELD = 2
FAILED = 3
WAITING = 4
CLOSED = 5
