#include "diagnose/text/exception_text.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/text/last_text.h"

namespace holdfast {
namespace {

bool running(const std::vector<Frame>& frames, std::string_view function) {
    return std::any_of(frames.begin(), frames.end(), [&](const Frame& frame) {
        return frame.function == function || frame.function.ends_with("." + std::string(function));
    });
}

// A TracebackText or an ExceptionEvidence.
template <class Thrown>
bool fits(const ExceptionWords& words, const Thrown& thrown) {
    if (!thrown.type.ends_with(words.type)) return false;
    // "MyTruncatedError" ends with "Error", but is another type.
    if (!words.type.empty() && thrown.type.size() > words.type.size() &&
        thrown.type[thrown.type.size() - words.type.size() - 1] != '.')
        return false;
    const std::size_t at = thrown.message.find(words.text);
    if (at == std::string::npos) return false;
    if (thrown.message.find(words.also, at) == std::string::npos) return false;
    return words.below.empty() || running(thrown.frames, words.below);
}

template <class Thrown>
const ExceptionWords* first_that_fits(const Thrown& thrown, CauseId cause) {
    for (const ExceptionWords& words : exception_words(cause->slug))
        if (fits(words, thrown)) return &words;
    return nullptr;
}

}  // namespace

std::string ExceptionSaid::line() const {
    std::string_view rest = message;
    while (const auto line = next_line(rest))
        if (line->find(words->text) != std::string_view::npos && !trim(*line).empty())
            return type + ": " + std::string(trim(*line));
    return message.empty() ? type : type + ": " + message;
}

std::optional<ExceptionSaid> exception_said(const Death& death, CauseId cause) {
    if (!exception_decided_exit(death)) return std::nullopt;
    const TracebackText& traceback = *final_exception(death);
    const ExceptionWords* words = first_that_fits(traceback, cause);
    if (words == nullptr) return std::nullopt;
    return ExceptionSaid{words, traceback.type, traceback.message, source_of(traceback)};
}

const ExceptionWords* words_of(const ExceptionEvidence& thrown, CauseId cause) {
    return first_that_fits(thrown, cause);
}

bool runs_below(const Death& death, std::string_view function) {
    const TracebackText* traceback = final_exception(death);
    return traceback != nullptr && running(traceback->frames, function);
}

Confidence sure_of(const Death& death, const ExceptionSaid& said) {
    return death.sure_of_exit() ? said.words->confidence
                                : at_most(said.words->confidence, Confidence::likely);
}

bool uses(const Death& death, std::string_view framework) {
    const std::string folder = "/site-packages/" + std::string(framework) + "/";
    const auto inside = [&](const std::vector<Frame>& frames) {
        return std::any_of(frames.begin(), frames.end(), [&](const Frame& frame) {
            return frame.file.find(folder) != std::string::npos;
        });
    };
    if (const TracebackText* traceback = final_exception(death);
        traceback != nullptr && inside(traceback->frames))
        return true;
    const AgentEvidence* agent = agent_of(death);
    if (agent == nullptr) return false;
    return agent->steps.source.starts_with(framework) || inside(agent->place) ||
           std::any_of(agent->sites.begin(), agent->sites.end(),
                       [&](const SiteEvidence& site) { return inside(site.frames); });
}

std::optional<long> number_after(std::string_view text, std::string_view mark) {
    std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    at = text.find_first_of("-0123456789", at + mark.size());
    if (at == std::string_view::npos) return std::nullopt;
    std::size_t end = at + 1;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    return parse_number<long>(text.substr(at, end - at));
}

std::string quoted(std::string_view text) {
    const std::size_t start = text.find_first_of("'\"");
    if (start == std::string_view::npos) return {};
    const std::size_t end = text.find(text[start], start + 1);
    if (end == std::string_view::npos) return {};
    return std::string(text.substr(start + 1, end - start - 1));
}

}  // namespace holdfast
