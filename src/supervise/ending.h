// Ends this process as the program ended, so that a shell, make or Slurm sees no difference.
#pragma once

namespace holdfast {

// `wait_status` as waitpid gives it.
[[noreturn]] void end_as(int wait_status);

}  // namespace holdfast
