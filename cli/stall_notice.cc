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
        forget_trouble(directory, "stall");
    } else {
        const auto verdict = verdict_of(directory);
        // It may have gone on, or nothing is sure enough to be said.
        if (!verdict || verdict->outcome != Outcome::stuck) return;
        text =
            stall_notice(*verdict, news.lasted, style_for(STDERR_FILENO, terminal_environment()));
        // About this stall, in case a notice about an earlier one is still there.
        forget_trouble(directory, "stall");
        note_trouble(directory, "stall", stall_line(*verdict, news.lasted));
    }
    // The program's own line may be half done, a progress bar's for one: it keeps its line.
    say(mid_line ? "\n" + text : text);
}

}  // namespace

Child tell_of_stall(const RunDirectory& directory, const StallNews& news, bool mid_line) {
    const pid_t parent = ::getpid();
    auto teller = Child::start([&] {
        end_with_parent(parent);
        // In the terminal's background it must not be stopped for writing.
        ::signal(SIGTTOU, SIG_IGN);
        tell(directory, news, mid_line);
        return 0;
    });
    return teller ? std::move(*teller) : Child();
}

}  // namespace holdfast::cli
