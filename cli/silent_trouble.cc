#include "silent_trouble.h"

#include <unistd.h>

#include <csignal>

#include "base/child.h"
#include "judge/judge.h"
#include "present/style.h"
#include "present/wrap.h"
#include "say.h"

namespace holdfast::cli {

void forget_trouble(const RunDirectory& directory, const char* file) {
    (void)::unlinkat(directory.fd(), file, 0);
}

bool note_trouble(const RunDirectory& directory, const char* file, const std::string& text) {
    if (directory.has_file(file)) return false;
    return static_cast<bool>(directory.write_file(file, text));
}

Child tell_of_filling(const RunDirectory& directory, Nanos fills_in, bool mid_line) {
    const pid_t parent = ::getpid();
    auto teller = Child::start([&] {
        end_with_parent(parent);
        // A background process of a terminal must not be stopped for writing.
        ::signal(SIGTTOU, SIG_IGN);
        const auto record = settled_record(directory);
        const auto words = record ? notice_of_filling(*record, fills_in) : std::nullopt;
        if (!words) return 0;
        const std::string line =
            safe_line(*words, style_for(STDERR_FILENO, terminal_environment()));
        if (note_trouble(directory, run_file::leak_told, line))
            say((mid_line ? "\n" : "") + line + '\n');
        return 0;
    });
    return teller ? std::move(*teller) : Child();
}

}  // namespace holdfast::cli
