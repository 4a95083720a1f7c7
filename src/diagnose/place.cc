#include "diagnose/place.h"

#include "diagnose/last_text.h"
#include "diagnose/python_dump.h"
#include "model/own_code.h"

namespace holdfast {
namespace {

std::optional<Where> innermost(const std::vector<Frame>& frames) {
    const Frame* frame = innermost_own_frame(frames);
    if (frame == nullptr) return std::nullopt;
    return Where{frame->file, frame->line, frame->function, {}};
}

}  // namespace

std::optional<Where> where_it_died(const Death& death) {
    if (const TracebackText* traceback = final_exception(death))
        return innermost(traceback->frames);
    if (!death.decides || !death.exit.signal) return std::nullopt;
    if (const std::optional<PythonDump> dump = python_dump_at_end(death.all.stderr_tail))
        return innermost(dump->frames);
    return std::nullopt;
}

}  // namespace holdfast
