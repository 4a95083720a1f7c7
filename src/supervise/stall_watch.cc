#include "supervise/stall_watch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/time.h"
#include "native/thread_stack.h"
#include "record/stall_text.h"
#include "supervise/stall_picture.h"

namespace holdfast {
namespace {

using namespace stall_thresholds;

// The most telling processes first: the working one, then those that are stopped or stuck by
// themselves.
std::vector<const PicturedProcess*> in_order(const StallPicture& picture) {
    std::vector<const PicturedProcess*> order;
    for (const PicturedProcess& process : picture.processes) order.push_back(&process);
    const auto weight = [](const PicturedProcess* process) {
        const WaitingThread* main = process->main_thread();
        if (main == nullptr) return 3;
        if (main->wait == WaitKind::stopped || main->wait == WaitKind::disk ||
            (main->own_lock && !main->timed))
            return 0;
        return process->python() ? 1 : 2;
    };
    if (!order.empty())
        std::stable_sort(order.begin() + 1, order.end(),
                         [&](const auto* a, const auto* b) { return weight(a) < weight(b); });
    return order;
}

// In the form of the black box.
StallThread written(const WaitingThread& thread) {
    StallThread row;
    row.tid = thread.tid;
    row.name = thread.name;
    row.state = thread.state.value_or('?');
    row.wait = thread.wait;
    row.timed = thread.timed;
    row.inside = thread.inside;
    row.own_lock = thread.own_lock;
    row.holds_gil = thread.holds_gil;
    row.call = thread.call;
    row.wait_channel = thread.wait_channel;
    row.target = thread.target;
    row.owner = thread.owner;
    row.native = thread.native;
    for (auto frame = thread.frames.rbegin(); frame != thread.frames.rend(); ++frame)
        row.frames.push_back({frame->file, frame->function, frame->line});
    return row;
}

// The main thread, the threads that run Python, then a few of the others: a pool of sixty-four idle
// helpers shows the same stack sixty-four times.
std::vector<StallThread> worth_keeping(const std::vector<WaitingThread>& threads) {
    constexpr std::size_t most_native = 6;
    std::vector<StallThread> kept;
    std::size_t native = 0;
    for (const WaitingThread& thread : threads)
        if (kept.empty() || !thread.frames.empty()) kept.push_back(written(thread));
    for (std::size_t i = 1; i < threads.size() && native < most_native; ++i)
        if (threads[i].frames.empty()) {
            kept.push_back(written(threads[i]));
            ++native;
        }
    return kept;
}

// Only once, when the user is told: each stack takes a moment.
void add_native_frames(StallPicture& picture) {
    constexpr int most_asked = 4;
    int asked = 0;
    for (PicturedProcess& process : picture.processes)
        for (WaitingThread& thread : process.threads) {
            const bool waits = thread.wait != WaitKind::running && thread.wait != WaitKind::stopped;
            const bool tells = &thread == &process.threads.front() || !thread.frames.empty();
            if (waits && tells && asked++ < most_asked)
                thread.native =
                    native_frames_of(process.pid, thread.tid, std::chrono::milliseconds(300));
        }
}

}  // namespace

// Whether anything has happened since the last look: a step, the end of a cell, CPU time, another
// number of processes.
bool StallWatch::moved() {
    const auto alive = [this](pid_t pid) { return tree_->member(pid) != nullptr; };
    const std::optional<StepsSeen> steps = steps_.look(alive);
    const Nanos turned = steps_.last_turn_of_cells(alive);
    const bool stepped = (steps && (!seen_steps_ || steps->in_all != seen_steps_->in_all)) ||
                         turned != std::exchange(cells_turned_, turned);
    if (steps || !seen_steps_) seen_steps_ = steps;
    // If the tree was not measured since, its CPU time tells nothing.
    const TreeTotals& totals = tree_->totals();
    if (totals.time == last_totals_.time) return stepped;
    const auto elapsed = static_cast<double>((totals.time - last_totals_.time).count());
    const bool worked =
        totals.cpu_ns < last_totals_.cpu_ns ||
        static_cast<double>(totals.cpu_ns - last_totals_.cpu_ns) > idle_share * elapsed;
    const bool changed = totals.processes != last_totals_.processes;
    const bool first = last_totals_.time == Nanos{};
    last_totals_ = totals;
    return stepped || worked || changed || first;
}

void StallWatch::look(Nanos now) {
    if (seen_steps_)
        loops_.forget();
    else
        loops_.look(now);
    if (now < next_look_) return;
    next_look_ = now + std::chrono::seconds(1);
    if (moved()) quiet_since_ = now;
    const bool overdue = is_worth_a_look(facts(now));
    const bool still = quiet() >= worth_a_record || overdue;
    const bool looping = !still && loops_.found();
    if (stall_ && looping != ((stall_->flags & format::stall_in_loop) != 0)) end(now);
    if (!still && !looping) {
        if (stall_) end(now);
        return;
    }
    if (!stall_) begin(now, overdue, looping);
    stall_->seen = now.count();
    stall_->cpu_ns = last_totals_.cpu_ns - std::min(last_totals_.cpu_ns, cpu_at_begin_);
    const bool busy = quiet() < worth_a_record;
    stall_->flags = (stall_->flags & ~format::stall_busy) | (busy ? format::stall_busy : 0U);
    if (now >= next_picture_) examine(now);
    if (stall_) save();
}

void StallWatch::begin(Nanos now, bool overdue, bool looping) {
    const std::optional<StepsSeen> steps = steps_of_now();
    format::Stall stall{};
    stall.since = overdue ? steps->last.count() : quiet_since_.count();
    stall.told = stall.moved = stall.last_step = format::never;
    stall.usual_ns = stall.longest_ns = format::unknown;
    stall.number = ++count_;
    if (steps) {
        stall.last_step = steps->last.count();
        stall.steps = steps->count;
        stall.usual_ns = static_cast<std::uint64_t>(steps->usual.count());
        stall.longest_ns = static_cast<std::uint64_t>(steps->longest.count());
    }
    if (looping) {
        const EndlessLoop& loop = *loops_.found();
        stall.flags = format::stall_in_loop;
        stall.since = stall.last_step = loop.since.count();
        stall.usual_ns = static_cast<std::uint64_t>(loop.usual.count());
        stall.longest_ns = static_cast<std::uint64_t>(loop.longest.count());
    }
    cpu_at_begin_ = last_totals_.cpu_ns;
    moved_bytes_ = 0;
    next_picture_ = last_picture_ = now;
    stall_ = stall;
}

void StallWatch::examine(Nanos now) {
    const Nanos started = own_cpu_now();
    // A process that was overlooked would make a wait for it look endless.
    if (tree_->find_newcomers(now)) {
        tree_->study(now);
        quiet_since_ = now;
    }
    StallPicture picture = take_picture(now, *roots_, *tree_, *stacks_);
    // A tree that is shutting down moves; keep the picture of before.
    if (picture.somebody_ends) {
        quiet_since_ = now;
        next_picture_ = now + std::chrono::seconds(1);
        return;
    }
    if ((stall_->flags & format::stall_in_loop) != 0 && !note_loop(picture)) {
        next_picture_ = now + std::chrono::seconds(1);
        return;
    }
    // Moving bytes are a sign of life, too, even if they cost next to no CPU time.
    const std::uint64_t before = std::exchange(moved_bytes_, picture.moved_bytes);
    const Nanos between = now - std::exchange(last_picture_, now);
    const std::uint64_t flown = picture.moved_bytes - std::min(picture.moved_bytes, before);
    if (before != 0 && static_cast<double>(flown) > idle_bytes_per_second * seconds(between))
        quiet_since_ = now;
    const Nanos age = now - Nanos(stall_->since);
    stall_->flags &= ~format::stall_inside_only;
    if (picture.inside_only()) stall_->flags |= format::stall_inside_only;
    if (patience_ > Nanos{} && stall_->told == format::never &&
        is_stuck(picture, facts(now), patience_)) {
        stall_->told = now.count();
        news_ = StallNews{StallNews::What::stuck, age};
        add_native_frames(picture);
    }
    // After the user was told, keep the picture of that moment, with its native frames.
    if (stall_->told == format::never || news_) save_picture(picture);
    // A service may wait like this for days: the longer it waits, the rarer the looks.
    const Nanos pause = std::clamp<Nanos>(
        age / 4, std::min<Nanos>(patience_ / 4, std::chrono::seconds(5)), std::chrono::minutes(1));
    next_picture_ =
        now + std::max<Nanos>({pause, (own_cpu_now() - started) * 500, std::chrono::seconds(1)});
}

// Which frame of the picture is the loop's. False if the picture does not show it.
bool StallWatch::note_loop(const StallPicture& picture) {
    const WaitingThread* main =
        picture.processes.empty() ? nullptr : picture.processes.front().main_thread();
    const std::optional<int> inside =
        main != nullptr ? loops_.found()->frames_inside(main->frames) : std::nullopt;
    if (!inside) return false;
    stall_->flags &= ~format::stall_loop_frames;
    stall_->flags |= static_cast<std::uint32_t>(*inside) << format::stall_loop_shift;
    return true;
}

void StallWatch::end(Nanos now) {
    stall_->moved = now.count();
    if (stall_->told != format::never)
        news_ = StallNews{StallNews::What::moves_again, now - Nanos(stall_->since)};
    save();
    stall_.reset();
}

void StallWatch::save() {
    box_->stalls.put((stall_->number - 1) % box_->stalls.capacity(), *stall_);
}

void StallWatch::save_picture(const StallPicture& picture) {
    std::size_t slot = 0;
    for (const PicturedProcess* process : in_order(picture)) {
        if (slot == box_->stalled.capacity()) break;
        format::StalledProcess row{};
        row.stall = stall_->number;
        row.pid = process->pid;
        row.traced = process->traced ? 1 : 0;
        const std::string text = stall_text(worth_keeping(process->threads), sizeof row.text);
        row.text_size = static_cast<std::uint32_t>(text.size());
        std::memcpy(row.text, text.data(), text.size());
        box_->stalled.put(slot++, row);
    }
    for (; slot < box_->stalled.capacity(); ++slot) box_->stalled.clear(slot);
}

}  // namespace holdfast
