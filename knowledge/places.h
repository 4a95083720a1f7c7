// Which well-known code a Python frame belongs to: the standard library's waits, the loaders, the
// collectives, the compilers and the debuggers that a stall is read by.
#pragma once

#include <string_view>

namespace holdfast {

// Fetching the next batch: torch's DataLoader, Keras, tf.data.
bool is_data_loading(std::string_view file, std::string_view function);
// Waiting for the other ranks: torch.distributed.
bool is_collective(std::string_view file);
// Python's own ways to wait for a notice rather than for a lock: Event, Condition, join.
bool is_notice_wait(std::string_view file);
// A queue, a pipe or a pool of the standard library: somebody else is to deliver.
bool is_delivery_wait(std::string_view file);
// The beginning of a thread that a notebook's kernel keeps for itself: it serves messages, and
// releases no lock of the program's.
bool is_kernel_service(std::string_view file);
// Starting a process.
bool is_process_start(std::string_view file);
// Somebody looks at the program step by step.
bool is_debugger(std::string_view file);
// Making code: minutes without a step are usual there.
bool is_compiler(std::string_view file);
// A part of a training program that takes long and counts no steps: validation, saving.
bool is_pause_between_steps(std::string_view function);
// The same without what endless loops do as well.
bool is_pause_that_ends(std::string_view function);

}  // namespace holdfast
