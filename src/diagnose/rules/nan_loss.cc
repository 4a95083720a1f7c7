// HF601: a recorded loss stopped being finite, or some code found such a number.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"
#include "base/time.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/facts/exceptions.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/exception_text.h"
#include "diagnose/text/last_text.h"
#include "model/own_code.h"

namespace holdfast::rules {
namespace {

using enum Confidence;

// The program's own check only shows where the number was found. The note of the exception's frames
// may also have where it was first set.
void go_back_to_origin(const Autopsy& death, const AgentEvidence& agent, Finding& finding) {
    const TracebackText* traceback = death.exception;
    const bool left = traceback == nullptr && death.exit_call != nullptr;
    if (!left && (traceback == nullptr || traceback->frames.empty() ||
                  !is_own_code(traceback->frames.back().file)))
        return;
    for (const NoteEvidence& note : agent.notes) {
        if (note.kind != NoteEvidence::Kind::nonfinite) continue;
        std::string_view rest = note.text;
        for (int skipped = 0; skipped < 4; ++skipped) next_line(rest);
        const std::optional<std::string_view> file = next_line(rest), line = next_line(rest);
        const std::optional<int> number = line ? parse_number<int>(*line) : std::nullopt;
        if (file && number && *number > 0)
            finding.where = Where{std::string(*file), *number, "", ""};
        return;
    }
}

// Functions that check numbers themselves. A complaint about missing values in an input array is
// none of these.
std::optional<Finding> found_in_numbers(const Autopsy& death) {
    const std::optional<ExceptionSaid> said = exception_said(death, "nan-loss"_cause);
    if (!said) return std::nullopt;
    Finding finding =
        finding_about(death, "nan-loss"_cause, sure_of(death, *said), facts::NonfiniteFound{*said});
    finding.topic = Topic::nonfinite_number;
    if (death.agent != nullptr) go_back_to_origin(death, *death.agent, finding);
    return finding;
}

// Exceptions about other mistakes, whatever numbers are around.
bool speaks_of_something_else(const TracebackText& traceback) {
    for (const std::string_view type :
         {"KeyError", "TypeError", "NameError", "UnboundLocalError", "IndexError", "AttributeError",
          "ImportError", "ModuleNotFoundError", "FileNotFoundError", "OSError", "MemoryError",
          "KeyboardInterrupt", "NotImplementedError", "EOFError", "BrokenPipeError"})
        if (traceback.type == type) return true;
    return false;
}

// An exception that the program itself raises, and that may be about numbers.
bool fails_own_check(const Autopsy& death) {
    const TracebackText* traceback = death.exception;
    return traceback != nullptr && !traceback->frames.empty() &&
           is_own_code(traceback->frames.back().file) && !speaks_of_something_else(*traceback);
}

bool met_in_frame(const AgentEvidence& agent) {
    return std::any_of(agent.notes.begin(), agent.notes.end(), [](const NoteEvidence& note) {
        return note.kind == NoteEvidence::Kind::nonfinite && note.a == 0;
    });
}

// The program's own check failed, in a frame that has a number that is not finite.
std::optional<Finding> found_by_own_check(const Autopsy& death, const AgentEvidence& agent) {
    const TracebackText* traceback = death.exception;
    if (traceback == nullptr || traceback->frames.empty() || death.exit.code != 1)
        return std::nullopt;
    const bool says_so = topic_of(*traceback) == Topic::nonfinite_number;
    const bool own_check = is_own_code(traceback->frames.back().file);
    if (speaks_of_something_else(*traceback) || (!own_check && !says_so)) return std::nullopt;
    for (const NoteEvidence& note : agent.notes) {
        if (note.kind != NoteEvidence::Kind::nonfinite) continue;
        if (note.a > 0 && !says_so) continue;  // an outer frame has it: perhaps by chance
        std::string_view rest = note.text;
        const std::string name(next_line(rest).value_or(""));
        const std::string value(next_line(rest).value_or(""));
        Finding finding =
            finding_about(death, "nan-loss"_cause, Confidence::likely,
                          facts::NonfiniteVariable{name, value, exception_line(*traceback),
                                                   source_of(*traceback)});
        finding.topic = Topic::nonfinite_number;
        go_back_to_origin(death, agent, finding);
        return finding;
    }
    return std::nullopt;
}

// The program called sys.exit with a failure status while a variable was not finite.
std::optional<Finding> left_with_it(const Autopsy& death, const AgentEvidence& agent) {
    const ExitCallEvidence* call = death.exit_call;
    if (call == nullptr || call->how != ExitCallEvidence::How::sys_exit ||
        death.exit.code.value_or(0) == 0 || !own_place(call->frames))
        return std::nullopt;
    constexpr Nanos at_once{2'000'000'000};
    for (const NoteEvidence& note : agent.notes) {
        if (note.kind != NoteEvidence::Kind::nonfinite || note.time > later(call->time, at_once) ||
            call->time > later(note.time, at_once))
            continue;
        std::string_view rest = note.text;
        const std::string name(next_line(rest).value_or(""));
        const std::string value(next_line(rest).value_or(""));
        Finding finding = finding_about(death, "nan-loss"_cause, Confidence::likely,
                                        facts::NonfiniteVariable{name, value, "", ""});
        finding.topic = Topic::nonfinite_number;
        finding.where = own_place(call->frames);
        go_back_to_origin(death, agent, finding);
        return finding;
    }
    return std::nullopt;
}

// Keras says "val_loss", Hugging Face "eval_loss" and "eval_NAME_loss". In Lightning the program
// itself chooses: "valid/loss", "Loss/val", "val_loss_epoch", "val_loss/dataloader_idx_1".
bool names_validation_loss(std::string_view name) {
    bool found = false;
    std::string word;
    for (std::size_t i = 0; i <= name.size(); ++i) {
        const char c = i < name.size() ? name[i] : '_';
        if (is_upper(c)) word += static_cast<char>(c - 'A' + 'a');
        if (is_lower(c)) word += c;
        if (is_alnum(c) || word.empty()) continue;
        if (word.ends_with("loss")) {
            found = true;
        } else if (found) {
            // After the loss only such words: a "loss_ratio" is another measure.
            for (const std::string_view place : {"val", "valid", "validation", "eval", "evaluation",
                                                 "dev", "epoch", "dataloader", "idx"})
                if (word == place) word.clear();
            if (!word.empty()) return false;
        }
        word.clear();
    }
    return found;
}

// The last validation loss was not finite, although the loss of every step may have been.
std::optional<Finding> found_by_validation(const Autopsy& death, const AgentEvidence& agent) {
    for (const NoteEvidence& note : agent.notes) {
        if (note.kind != NoteEvidence::Kind::validation) continue;
        for (std::string_view rest = note.text; const auto line = next_line(rest);) {
            const std::size_t blank = std::min(line->rfind(' '), line->size());
            const std::string_view value = line->substr(blank);
            if ((value != " nan" && value != " inf" && value != " -inf") ||
                !names_validation_loss(line->substr(0, blank)))
                continue;
            return finding_about(death, "nan-loss"_cause, Confidence::certain,
                                 facts::NonfiniteValidation{note.a, std::string(*line)});
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Finding> nan_loss(const Autopsy& death) {
    const AgentEvidence* agent = death.agent;
    if (agent == nullptr || !agent->steps.first_nonfinite) {
        if (std::optional<Finding> said = found_in_numbers(death)) return said;
        if (agent == nullptr) return std::nullopt;
        if (std::optional<Finding> own = found_by_own_check(death, *agent)) return own;
        if (std::optional<Finding> left = left_with_it(death, *agent)) return left;
        return found_by_validation(death, *agent);
    }
    const StepsEvidence& steps = agent->steps;
    const std::uint64_t after = steps.count - std::min(steps.count, *steps.first_nonfinite);
    Finding finding = finding_about(death, "nan-loss"_cause, Confidence::certain,
                                    facts::NonfiniteLoss{agent, after});
    go_back_to_origin(death, *agent, finding);
    // No loss was ever finite, for so many steps that a failed check of the program must be about
    // this.
    constexpr std::uint64_t for_nothing = 64;
    if (!steps.last_finite_loss && after >= for_nothing && fails_own_check(death)) {
        finding.topic = Topic::nonfinite_number;
        finding.confidence = Confidence::likely;
    }
    constexpr std::uint64_t a_few = 16;
    // Or the program's own check failed a few steps later, in a frame with such a number, whatever
    // its message says.
    if (after <= a_few && fails_own_check(death) && met_in_frame(*agent))
        finding.topic = Topic::nonfinite_number;
    // Or the program looked at the loss a few steps later and exited.
    if ((after <= a_few || !steps.last_finite_loss) && death.exit.code != 0 &&
        death.exit_call != nullptr && own_place(death.exit_call->frames)) {
        finding.topic = Topic::nonfinite_number;
        finding.confidence = Confidence::likely;
    }
    return finding;
}

}  // namespace holdfast::rules
