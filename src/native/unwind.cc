#include "native/unwind.h"

#include "base/format.h"
#include "native/cfi.h"
#include "native/cfi_step.h"

namespace holdfast {
namespace {

using format::CrashMachine;

class FrameWalk {
public:
    FrameWalk(const CrashRecord& crash, const NativeModules& modules)
        : crash_(crash), modules_(modules), sp_(cfi_stack_pointer(crash.machine)) {}

    Unwound run(const Registers& start, std::size_t most) {
        CfiState state;
        state.pc = start.pc;
        for (std::size_t i = 0; i < start.dwarf.size() && i < cfi_registers; ++i)
            state.registers[i] = start.dwarf[i];
        add({start.pc, start.returned, false, start.sp});
        while (found_.frames.size() < most) {
            auto next = caller(state);
            if (!next) break;
            state = std::move(*next);
        }
        return std::move(found_);
    }
    void add(const UnwoundFrame& frame) { found_.frames.push_back(frame); }

private:
    std::optional<CfiState> caller(const CfiState& state) {
        UnwoundFrame& frame = found_.frames.back();
        const auto row = row_of(frame.instruction());
        if (!row) return stop("no unwind table covers");
        if (row->signal_frame) {
            // Its pc is the beginning of a function, not a return address.
            frame.call = false;
            frame.trampoline = true;
        }
        auto next = cfi_caller(*row, state, crash_.machine, [&](std::uint64_t address) {
            return read_word(crash_, modules_, address);
        });
        if (!next) {
            const bool ends = row->registers[row->return_address].kind == CfiRule::Kind::undefined;
            return ends ? std::nullopt : stop("the record holds too little of the stack of");
        }
        const UnwoundFrame above{next->pc, !row->signal_frame, false, next->registers[sp_]};
        if (above.call && !lies_above(above)) return stop("a damaged stack in");
        add(above);
        return next;
    }

    std::optional<CfiRow> row_of(std::uint64_t address) const {
        const NativeModule* module = modules_.file(address);
        const auto header = module == nullptr ? std::nullopt : module->file.unwind_header();
        if (!header) return std::nullopt;
        const auto read = [&](std::uint64_t at, void* into, std::size_t size) {
            return module->file.read_address(at, into, size);
        };
        return find_cfi(read, *header, address - module->bias);
    }

    // A caller's part of the stack lies above the callee's; anything else is damage and may loop
    // for ever. Exceptions: a signal frame may lead to another stack, and a leaf function on
    // aarch64 may have no frame.
    bool lies_above(const UnwoundFrame& caller) const {
        const auto& own = found_.frames.back().sp;
        if (!caller.sp || !own) return true;
        return found_.frames.size() == 1 ? *caller.sp >= *own : *caller.sp > *own;
    }

    // Reports only a stack that hardly begins: a missing end of a long stack does not matter.
    std::nullopt_t stop(std::string_view why) {
        if (found_.frames.size() > 1) return std::nullopt;
        const CrashModule* mapping = modules_.mapping(found_.frames[0].instruction());
        found_.missing = formatted("native stack: {} {}; only the faulting place is known", why,
                                   mapping == nullptr ? "this address" : library_name(*mapping));
        return std::nullopt;
    }

    const CrashRecord& crash_;
    const NativeModules& modules_;
    const unsigned sp_;
    Unwound found_;
};

}  // namespace

Unwound unwind_fault(const CrashRecord& crash) {
    if (!crash.pc) return {};
    return {{{*crash.pc, false, false, std::nullopt}}, {}};
}

Unwound unwind_frames(const CrashRecord& crash, const NativeModules& modules, std::size_t most) {
    const std::optional<Registers> start = registers_of(crash);
    if (!start || most == 0) return unwind_fault(crash);
    FrameWalk walk(crash, modules);
    const auto nowhere = caller_of_nowhere(crash, modules, *start);
    if (nowhere) walk.add({start->pc, false, false, start->sp});
    return walk.run(nowhere ? *nowhere : *start, most);
}

}  // namespace holdfast
