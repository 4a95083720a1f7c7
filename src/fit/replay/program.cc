#include "fit/replay/program.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace holdfast::fit {
namespace {

class Compiler {
public:
    Compiler(const Capture& capture, const Workspaces& workspaces)
        : capture_(capture), workspaces_(workspaces) {
        program_.storages = capture.births;
        program_.moves.reserve(capture.events.size() * 2);
    }

    void events(std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) event(i, capture_.events[i].subject);
    }

    // Repeats the events: every storage that they allocate gets a new number. If they free an older
    // storage, that stands for one that the same events leave behind (a loss kept until the next
    // step).
    void again(std::size_t from, std::size_t to) {
        std::vector<std::uint32_t> left;       // allocated by these events and alive at their end
        std::vector<std::uint32_t> inherited;  // allocated before, and freed by these events
        std::unordered_map<std::uint32_t, std::size_t> born;
        for (std::size_t i = from; i < to; ++i) {
            const CaptureEvent& event = capture_.events[i];
            if (is_birth(event)) {
                born.emplace(event.subject, left.size());
                left.push_back(event.subject);
            } else if (event.kind == CaptureEventKind::free) {
                if (const auto found = born.find(event.subject); found != born.end())
                    left[found->second] = none;
                else
                    inherited.push_back(event.subject);
            }
        }
        std::erase(left, none);
        std::unordered_map<std::uint32_t, std::uint32_t> now;  // the capture's number to ours
        for (std::size_t i = 0; i < std::min(left.size(), inherited.size()); ++i)
            now[inherited[i]] = current(left[i]);
        std::unordered_map<std::uint32_t, std::uint32_t> fresh;
        for (std::size_t i = from; i < to; ++i) {
            const CaptureEvent& event = capture_.events[i];
            if (is_birth(event)) {
                fresh[event.subject] = program_.storages++;
                this->event(i, fresh[event.subject]);
            } else if (event.kind == CaptureEventKind::free) {
                if (const auto found = fresh.find(event.subject); found != fresh.end())
                    this->event(i, found->second);
                else if (const auto old = now.find(event.subject); old != now.end())
                    this->event(i, old->second);
            } else {
                this->event(i, event.subject);
            }
        }
        for (const auto& [captured, ours] : fresh) current_[captured] = ours;
    }

    Program take() { return std::move(program_); }

private:
    static constexpr std::uint32_t none = UINT32_MAX;

    static bool is_birth(const CaptureEvent& event) {
        return event.kind == CaptureEventKind::alloc ||
               event.kind == CaptureEventKind::alloc_by_fact;
    }
    std::uint32_t current(std::uint32_t captured) const {
        const auto found = current_.find(captured);
        return found == current_.end() ? captured : found->second;
    }

    void event(std::size_t index, std::uint32_t subject) {
        const CaptureEvent& event = capture_.events[index];
        const auto number = static_cast<std::uint32_t>(index);
        switch (event.kind) {
        case CaptureEventKind::alloc:
            move(Move::Kind::allocate, subject, size_of(event), number);
            break;
        case CaptureEventKind::free: move(Move::Kind::free, subject, {}, number); break;
        case CaptureEventKind::mark: move(Move::Kind::mark, subject, {}, number); break;
        case CaptureEventKind::scratch: scratch(event, number); break;
        case CaptureEventKind::alloc_by_fact: {
            Bytes sum;
            for (const Bytes size : workspaces_.of(event.fact, capture_.values_of(event)).sizes)
                sum += size;
            move(Move::Kind::allocate, subject, sum, number);
            break;
        }
        }
    }

    Bytes size_of(const CaptureEvent& event) const {
        const std::int64_t size = capture_.values[event.first];
        return {size > 0 ? static_cast<std::uint64_t>(size) : 0};
    }

    void scratch(const CaptureEvent& event, std::uint32_t number) {
        const auto values = capture_.values_of(event);
        if (event.fact == Fact::gemm) {
            if (values.size() < 2) return;
            keep({values[0], 0}, cublas_workspace(workspaces_.device().sm), number);
            if (values[1] != 0) keep({values[0], 1}, cublaslt_workspace, number);
            return;
        }
        const Workspace workspace = workspaces_.of(event.fact, values);
        if (event.fact == Fact::conv) {
            ++program_.convolutions;
            program_.by_rule += workspace.grade == Grade::rule ? 1 : 0;
            program_.by_likeness += workspace.grade == Grade::nearest ? 1 : 0;
        }
        const std::uint32_t first = program_.storages;
        const auto kind = event.fact == Fact::conv ? Move::Kind::attempt : Move::Kind::allocate;
        for (const Bytes size : workspace.sizes) {
            if (size.count == 0) continue;
            move(kind, program_.storages++, size, number);
        }
        for (std::uint32_t storage = first; storage < program_.storages; ++storage)
            move(Move::Kind::free, storage, {}, number);
    }

    // cuBLAS takes its workspace at a thread's first call and keeps it.
    void keep(std::pair<std::int64_t, int> holder, Bytes size, std::uint32_t number) {
        if (kept_.insert(holder).second)
            move(Move::Kind::allocate, program_.storages++, size, number);
    }

    void move(Move::Kind kind, std::uint32_t storage, Bytes size, std::uint32_t event) {
        program_.moves.push_back({kind, storage, size, event});
    }

    const Capture& capture_;
    const Workspaces& workspaces_;
    Program program_;
    std::set<std::pair<std::int64_t, int>> kept_;
    std::unordered_map<std::uint32_t, std::uint32_t> current_;
};

}  // namespace

Program compile(const Capture& capture, const Workspaces& workspaces, int steps) {
    std::vector<std::size_t> ends;  // the index behind each step's mark
    for (std::size_t i = 0; i < capture.events.size(); ++i) {
        const CaptureEvent& event = capture.events[i];
        if (event.kind == CaptureEventKind::mark && capture.marks[event.subject] == "step")
            ends.push_back(i + 1);
    }
    Compiler compiler(capture, workspaces);
    if (ends.size() < 2) {
        compiler.events(0, capture.events.size());
        return compiler.take();
    }
    compiler.events(0, ends.back());
    for (int step = static_cast<int>(ends.size()); step < steps; ++step)
        compiler.again(ends[ends.size() - 2], ends.back());
    return compiler.take();
}

}  // namespace holdfast::fit
