#include "stall_notice.h"

#include <unistd.h>

#include <csignal>
#include <string>

#include "base/child.h"
#include "judge/judge.h"
#include "present/stall_notice.h"
#include "present/style.h"
#include "say.h"
#include "silent_trouble.h"

namespace holdfast::cli {
namespace {

void tell(const RunDirectory& directory, const StallNews& news, bool mid_line) {
    std::string text;
    if (news.what == StallNews::What::moves_again) {
        text = moves_again_notice(news.lasted);
        forget_trouble(directory, run_file::stall_told);
    } else {
        const auto verdict = verdict_of(directory);
        // The program may have gone on, or the verdict may be too unsure to report.
        if (!verdict || verdict->outcome != Outcome::stuck) return;
        text =
            stall_notice(*verdict, news.lasted, style_for(STDERR_FILENO, terminal_environment()));
        // A notice about an earlier stall may still be there.
        forget_trouble(directory, run_file::stall_told);
        note_trouble(directory, run_file::stall_told, stall_line(*verdict, news.lasted));
    }
    // The program may be in the middle of a line, such as a progress bar: leave that line alone.
    say(mid_line ? "\n" + text : text);
}

}  // namespace

Child tell_of_stall(const RunDirectory& directory, const StallNews& news, bool mid_line) {
    const pid_t parent = ::getpid();
    auto teller = Child::start([&] {
        end_with_parent(parent);
        // A background process of a terminal must not be stopped for writing.
        ::signal(SIGTTOU, SIG_IGN);
        tell(directory, news, mid_line);
        return 0;
    });
    return teller ? std::move(*teller) : Child();
}

}  // namespace holdfast::cli
