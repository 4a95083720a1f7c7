// Who could end a wait, whose threads count, and who only rests.
#include "stall/waits.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

const std::string site = "/v/lib/python3.12/site-packages/";
const Frame bootstrap{"/usr/lib/python3.12/threading.py", 1030, "_bootstrap"};
const Frame bootstrap_inner{"/usr/lib/python3.12/threading.py", 1073, "_bootstrap_inner"};
const Frame select_{"/usr/lib/python3.12/selectors.py", 468, "select"};

WaitingThread thread(std::string name, std::vector<Frame> innermost_first) {
    WaitingThread made;
    made.name = std::move(name);
    if (!innermost_first.empty()) {
        innermost_first.push_back(bootstrap_inner);
        innermost_first.push_back(bootstrap);
    }
    made.frames.assign(innermost_first.rbegin(), innermost_first.rend());
    return made;
}

WaitingThread waits_for(WaitKind wait) {
    WaitingThread made;
    made.wait = wait;
    return made;
}

TEST(StallWaits, threads_that_serve_a_kernel_are_known_by_where_they_begin) {
    EXPECT_TRUE(serves_a_kernel(thread("ZMQbg/IO/0", {}), false));
    EXPECT_TRUE(serves_a_kernel(
        thread("IOPub", {select_, {site + "ipykernel/iostream.py", 118, "_thread_main"}}), false));
    EXPECT_TRUE(serves_a_kernel(
        thread("Control", {select_, {site + "ipykernel/thread.py", 30, "run"}}), false));
    EXPECT_TRUE(serves_a_kernel(
        thread("Thread-4", {{site + "IPython/core/history.py", 1075, "run"}}), false));
}

TEST(StallWaits, the_programs_own_threads_are_none_of_them_though_they_print) {
    const Frame closure{site + "ipykernel/ipkernel.py", 766, "run_closure"};
    const Frame own{"/tmp/ipykernel_1/2.py", 3, "work"};
    const Frame prints{site + "ipykernel/iostream.py", 650, "write"};
    EXPECT_FALSE(serves_a_kernel(thread("Thread-9", {prints, own, own, own, closure}), false));
    EXPECT_FALSE(serves_a_kernel(thread("Thread-9", {own, closure}), false));
    EXPECT_FALSE(serves_a_kernel(thread("python3", {}), false));
}

TEST(StallWaits, a_subshell_runs_cells_that_may_release_a_lock) {
    EXPECT_FALSE(serves_a_kernel(
        thread("subshell-1", {select_, {site + "ipykernel/thread.py", 30, "run"}}), false));
}

TEST(StallWaits, of_a_stack_that_is_cut_off_nobody_knows_where_the_thread_began) {
    EXPECT_FALSE(serves_a_kernel(
        thread("IOPub", {select_, {site + "ipykernel/iostream.py", 118, "_thread_main"}}), true));
}

TEST(StallWaits, locks_and_children_are_ended_by_the_tree_unless_there_is_a_time_limit) {
    EXPECT_EQ(ended_by(waits_for(WaitKind::lock), {}, {}), EndedBy::tree);
    EXPECT_EQ(ended_by(waits_for(WaitKind::child), {}, {}), EndedBy::tree);
    WaitingThread timed = waits_for(WaitKind::lock);
    timed.timed = true;
    EXPECT_EQ(ended_by(timed, {}, {}), EndedBy::itself);
    EXPECT_EQ(ended_by(waits_for(WaitKind::running), {}, {}), EndedBy::itself);
    EXPECT_EQ(ended_by(waits_for(WaitKind::signal), {}, {}), EndedBy::anybody);
    EXPECT_EQ(ended_by(waits_for(WaitKind::disk), {}, {}), EndedBy::anybody);
}

TEST(StallWaits, a_pipe_is_the_trees_own_only_where_nobody_outside_has_an_end_of_it) {
    const WaitingThread reads = waits_for(WaitKind::read);
    EXPECT_EQ(ended_by(reads, {"pipe:[7]"}, {}), EndedBy::tree);
    EXPECT_EQ(ended_by(reads, {"pipe:[7]"}, {"pipe:[7]"}), EndedBy::anybody);
    EXPECT_EQ(ended_by(reads, {"socket:[7]"}, {}), EndedBy::anybody);
    EXPECT_EQ(ended_by(reads, {}, {}), EndedBy::anybody);
    EXPECT_EQ(ended_by(waits_for(WaitKind::poll), {"pipe:[7]", "/dev/pts/0"}, {}),
              EndedBy::anybody);
}

TEST(StallWaits, a_debugger_a_stopped_program_and_a_lone_thread_at_an_event_rest) {
    const Frame own{"train.py", 42, "step"};
    const Frame event{"/usr/lib/python3.11/threading.py", 629, "wait"};
    const Frame queue{"/usr/lib/python3.11/queue.py", 171, "get"};
    const auto alone = [&](WaitKind wait, std::vector<Frame> frames) {
        WaitingThread only = waits_for(wait);
        only.frames = std::move(frames);
        return std::vector<StalledProcess>{{1, false, {only}}};
    };
    EXPECT_TRUE(rests(alone(WaitKind::lock, {own, event})));
    EXPECT_FALSE(rests(alone(WaitKind::lock, {own, queue, event})));
    EXPECT_FALSE(rests(alone(WaitKind::lock, {own})));
    EXPECT_TRUE(rests(alone(WaitKind::stopped, {own})));
    EXPECT_TRUE(rests(alone(WaitKind::running, {{"/usr/lib/python3.11/pdb.py", 1, "f"}, own})));
    std::vector<StalledProcess> two = alone(WaitKind::lock, {own, event});
    two.push_back(two.front());
    EXPECT_FALSE(rests(two));
    two.back().traced = true;
    EXPECT_TRUE(rests(two));
}

TEST(StallWaits, a_worker_delivers_nothing_if_it_is_stopped_or_in_a_lock_of_its_own) {
    WaitingThread thread;
    EXPECT_FALSE(will_deliver_nothing({}));
    thread.wait = WaitKind::lock;
    thread.own_lock = true;
    EXPECT_FALSE(will_deliver_nothing({1, false, {thread}}));  // somebody else may release it
    thread.inside = true;
    EXPECT_TRUE(will_deliver_nothing({1, false, {thread}}));
    WaitingThread stopped;
    stopped.wait = WaitKind::stopped;
    EXPECT_TRUE(will_deliver_nothing({1, false, {stopped}}));
    stopped.wait = WaitKind::sleep;
    EXPECT_FALSE(will_deliver_nothing({1, false, {stopped}}));
}

}  // namespace
}  // namespace holdfast
