#include "native/stack.h"

#include <cxxabi.h>
#include <algorithm>
#include <cstdlib>

#include "base/format.h"
#include "base/text.h"
#include "model/library_name.h"
#include "native/cycle.h"
#include "native/source_lines.h"
#include "native/unwind.h"

namespace holdfast {
namespace {

// More frames than are shown, to recognise a recursion.
constexpr std::size_t most_unwound = 400;

// The frames to show. One line replaces `count` frames, in rounds of `period`.
struct Shown {
    std::vector<UnwoundFrame> frames;
    std::size_t fold_at = 0;  // the line goes before this frame
    std::size_t period = 0;   // 0: no frames are replaced
    std::uint64_t count = 0;
    bool about = false;
};

// How many more frames of the recursion fit between the last frame seen and the top of the stack.
std::uint64_t unseen_frames(const CrashRecord& crash, const std::vector<UnwoundFrame>& frames,
                            const FrameCycle& cycle) {
    const UnwoundFrame& last = frames[cycle.end - 1];
    const UnwoundFrame& round_before = frames[cycle.end - 1 - cycle.period];
    if (!last.sp || !round_before.sp || !crash.stack_high || *crash.stack_high <= *last.sp ||
        *last.sp <= *round_before.sp)
        return 0;
    const std::uint64_t round = *last.sp - *round_before.sp;
    return (*crash.stack_high - *last.sp) / round * cycle.period;
}

Shown choose(const CrashRecord& crash, std::vector<UnwoundFrame> frames) {
    Shown shown;
    std::vector<std::uint64_t> pcs;
    pcs.reserve(frames.size());
    for (const UnwoundFrame& frame : frames) pcs.push_back(frame.pc);
    const auto cycle = find_cycle(pcs);
    if (cycle && frames.size() > most_native_frames / 2) {
        const std::size_t shown_end = cycle->begin + cycle->period;
        shown.fold_at = shown_end;
        shown.period = cycle->period;
        shown.count = cycle->end - shown_end;
        if (cycle->end == frames.size()) {
            const std::uint64_t more = unseen_frames(crash, frames, *cycle);
            shown.count += more;
            shown.about = true;
        }
        frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(shown_end),
                     frames.begin() + static_cast<std::ptrdiff_t>(cycle->end));
    }
    const std::size_t room = most_native_frames - (shown.period > 0 ? 1 : 0);
    if (frames.size() > room) frames.resize(room);
    shown.frames = std::move(frames);
    return shown;
}

class Namer {
public:
    Namer(const NativeModules& modules, const std::vector<UnwoundFrame>& frames)
        : modules_(modules), frames_(frames) {}

    std::vector<NativeFrame> name() const {
        std::vector<NativeFrame> named(frames_.size());
        for (std::size_t i = 0; i < frames_.size(); ++i) {
            const std::uint64_t at = frames_[i].instruction();
            if (const CrashModule* mapping = modules_.mapping(at)) {
                named[i].library = library_name(*mapping);
                named[i].offset = frames_[i].pc - mapping->start + mapping->offset;
            } else {
                named[i].library = "[unmapped]";
                named[i].offset = frames_[i].pc;
            }
            if (const NativeModule* module = modules_.file(at))
                named[i].offset = frames_[i].pc - module->bias;
        }
        for (const NativeModule& module : modules_.files()) name_symbols(module, named);
        return named;
    }

private:
    void name_symbols(const NativeModule& module, std::vector<NativeFrame>& named) const {
        std::vector<std::size_t> here;
        std::vector<std::uint64_t> addresses;
        for (std::size_t i = 0; i < frames_.size(); ++i) {
            if (modules_.file(frames_[i].instruction()) != &module) continue;
            here.push_back(i);
            addresses.push_back(frames_[i].instruction() - module.bias);
        }
        if (here.empty()) return;
        auto symbols = module.file.symbols(addresses);
        const bool all = std::all_of(symbols.begin(), symbols.end(),
                                     [](const auto& symbol) { return symbol.has_value(); });
        if (!all && !module.file.has_full_symbols())
            add_from_debug_file(module, addresses, symbols);
        for (std::size_t i = 0; i < here.size(); ++i) {
            if (!symbols[i]) continue;
            NativeFrame& frame = named[here[i]];
            frame.symbol = readable_symbol(symbols[i]->name);
            frame.offset = symbols[i]->offset + (frames_[here[i]].call ? 1 : 0);
        }
        for (const std::size_t i : here)
            if (frames_[i].trampoline) named[i].symbol = "(signal handler called)";
    }
    static void add_from_debug_file(const NativeModule& module,
                                    const std::vector<std::uint64_t>& addresses,
                                    std::vector<std::optional<ElfSymbol>>& symbols) {
        const auto path = debug_file(module.file);
        if (!path) return;
        const Result<ElfFile> file = ElfFile::open(*path);
        if (!file) return;
        auto more = file->symbols(addresses);
        for (std::size_t i = 0; i < symbols.size(); ++i)
            if (!symbols[i]) symbols[i] = std::move(more[i]);
    }

    const NativeModules& modules_;
    const std::vector<UnwoundFrame>& frames_;
};

void add_fold(const Shown& shown, NativeStack& stack) {
    if (shown.period == 0) return;
    NativeFrame fold;
    const std::string these = shown.period == 1 ? "this one" : formatted("these {}", shown.period);
    fold.symbol =
        formatted("... ({}{} more frames of {})", shown.about ? "about " : "", shown.count, these);
    const auto at = static_cast<std::ptrdiff_t>(shown.fold_at);
    stack.frames.insert(stack.frames.begin() + at, std::move(fold));
    stack.addresses.insert(stack.addresses.begin() + at, std::nullopt);
}

}  // namespace

std::string readable_symbol(const std::string& name) {
    int failed = 0;
    std::size_t size = 0;
    char* plain = name.starts_with("_Z")
                      ? abi::__cxa_demangle(name.c_str(), nullptr, &size, &failed)
                      : nullptr;
    std::string text = printable(plain != nullptr ? plain : name.c_str());
    std::free(plain);
    return text;
}

NativeStack unwind(const CrashRecord& crash, const UnwindOptions& options) {
    NativeStack stack;
    const NativeModules modules(crash);
    Unwound unwound =
        options.only_fault ? unwind_fault(crash) : unwind_frames(crash, modules, most_unwound);
    const Shown shown = choose(crash, std::move(unwound.frames));
    stack.frames = Namer(modules, shown.frames).name();
    for (const UnwoundFrame& frame : shown.frames) {
        stack.addresses.push_back(frame.pc);
        std::string note = modules.note(frame.instruction());
        if (!note.empty() &&
            std::find(stack.missing.begin(), stack.missing.end(), note) == stack.missing.end())
            stack.missing.push_back(std::move(note));
    }
    if (stack.missing.empty() && !unwound.missing.empty())
        stack.missing.push_back(std::move(unwound.missing));
    if (options.only_fault) return stack;
    // Folds last, so that frames and names correspond until then.
    if (options.before_lines) {
        NativeStack early = stack;
        add_fold(shown, early);
        options.before_lines(early);
    }
    const std::unique_ptr<SourceLines> lines = SourceLines::of(modules);
    for (std::size_t i = 0; lines && i < shown.frames.size(); ++i) {
        // Lines of such libraries help nobody, and their debug information, if installed, takes
        // longer to load than all the rest.
        if (is_everyones_library(stack.frames[i].library)) continue;
        const auto place = lines->place(shown.frames[i].instruction());
        if (!place) continue;
        stack.frames[i].file = printable(place->file);
        stack.frames[i].line = place->line;
    }
    add_fold(shown, stack);
    return stack;
}

}  // namespace holdfast
