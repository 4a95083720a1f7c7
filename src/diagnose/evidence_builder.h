// Evidence for tests, told as a story: a Python program in a 512 MiB container that is healthy
// until the test says otherwise. Every counter is readable and stands still until a test moves it.
#pragma once

#include <csignal>
#include <string>
#include <utility>

#include "diagnose/diagnose.h"
#include "model/evidence.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

inline constexpr int main_pid = 100;

class Story {
public:
    Story() {
        e_.main_pid = main_pid;
        e_.ended = true;
        e_.end_time = 10s;
        e_.stderr_seen = true;
        e_.run.command = {"python", "train.py"};
        CgroupLevel level;
        level.path = "/docker/abc";
        level.limit = Bytes::mib(512);
        level.usage_first = Bytes::mib(20);
        level.usage_last = Bytes::mib(100);
        level.peak = Bytes::mib(100);
        level.limit_hits_first = level.limit_hits_last = 0;
        level.oom_first = level.oom_last = 0;
        level.oom_kill_first = level.oom_kill_last = 0;
        CgroupEvidence cgroup;
        cgroup.version = 2;
        cgroup.levels.push_back(level);
        e_.cgroups.push_back(cgroup);
        e_.host.total = Bytes::gib(64);
        e_.host.available_last = e_.host.available_least = Bytes::gib(50);
        e_.host.oom_kill_first = e_.host.oom_kill_last = 3;
        e_.host.max_map_count = 65530;
        e_.processes.push_back(process(main_pid, 1, Role::main, "python", "python train.py"));
        e_.processes.front().ended = 10s;
        held(main_pid, Bytes::mib(90));
    }

    // How the command ended.
    Story& exits(int code) { return ends({.code = code, .signal = std::nullopt}); }
    Story& dies_by(int signal) { return ends({.code = std::nullopt, .signal = signal}); }
    Story& supervisor_lost() {
        e_.ended = false;
        e_.supervisor_lost = true;
        e_.exit = {};
        e_.processes.front().exit.reset();
        e_.processes.front().ended.reset();
        e_.end_time.reset();
        return *this;
    }

    // Memory.
    Story& held(int pid, Bytes amount) {
        at(pid).rss = amount;
        at(pid).rss_peak = amount;
        return *this;
    }
    Story& v1() {
        e_.cgroups[0].version = 1;
        own().oom_first.reset();
        own().oom_last.reset();
        return *this;
    }
    Story& limit_touched() {
        own().limit_hits_last = 40;
        own().peak = own().usage_last = own().limit;
        return *this;
    }
    // oom_kill of the own cgroup moved between two looks.
    Story& oom_kill_counted(Nanos noticed = 10s, std::uint64_t times = 1) {
        const std::uint64_t before = *own().oom_kill_last;
        e_.cgroups[0].kills.push_back({noticed - 200ms, noticed, before, before + times});
        own().oom_kill_last = before + times;
        *e_.host.oom_kill_last += times;
        return *this;
    }
    // The same with the limit's own event, as a container's OOM kill leaves it.
    Story& container_oom(Nanos noticed = 10s, std::uint64_t times = 1) {
        limit_touched();
        if (own().oom_last) *own().oom_last += 1;
        return oom_kill_counted(noticed, times);
    }
    Story& oom_counters_hidden() {
        own().oom_kill_first.reset();
        own().oom_kill_last.reset();
        e_.cgroups[0].kills.clear();
        e_.host.oom_kill_first.reset();
        e_.host.oom_kill_last.reset();
        return *this;
    }
    Story& machine_full() {
        e_.host.available_last = e_.host.available_least = Bytes::mib(100);
        return *this;
    }
    Story& stranger_gone(int pid) {
        e_.cgroups[0].strangers_gone.push_back(pid);
        return *this;
    }
    Story& neighbour(int pid, std::string name, Bytes rss, bool same_cgroup = true) {
        e_.neighbours.push_back({pid, name, std::move(name), rss, same_cgroup});
        return *this;
    }
    Story& logged_oom(int pid, std::string constraint, Nanos time = 10s) {
        e_.host.in_first_pid_namespace = true;
        KernelLogEntry entry;
        entry.kind = KernelLogEntry::Kind::oom_kill;
        entry.time = time;
        entry.pid = pid;
        entry.constraint = std::move(constraint);
        entry.task_memcg = own().path;
        entry.text = "Out of memory: Killed process " + std::to_string(pid);
        e_.kernel_log.push_back(entry);
        return *this;
    }
    Story& logged_segfault(int pid, std::string text) {
        e_.host.in_first_pid_namespace = true;
        KernelLogEntry entry;
        entry.kind = KernelLogEntry::Kind::segfault;
        entry.time = 10s;
        entry.pid = pid;
        entry.text = std::move(text);
        e_.kernel_log.push_back(entry);
        return *this;
    }

    // Other processes of the tree.
    Story& child(int pid, Role role = Role::worker, int parent = main_pid) {
        e_.processes.push_back(process(pid, parent, role, "python", "python worker"));
        return *this;
    }
    Story& child_dies(int pid, int signal, Nanos when) {
        at(pid).exit = ExitStatus{std::nullopt, signal};
        return child_gone(pid, when);
    }
    Story& child_exits(int pid, int code, Nanos when) {
        at(pid).exit = ExitStatus{code, std::nullopt};
        return child_gone(pid, when);
    }
    // The child has ended, and nobody could read its status.
    Story& child_gone(int pid, Nanos when) {
        at(pid).ended = when;
        at(pid).last_seen = when - 100ms;
        return *this;
    }
    // `sh -c` around the program. The program gets pid 101, and "main" then means the program.
    Story& behind_shell(int code) {
        at(main_pid).role = Role::helper;
        at(main_pid).name = "sh";
        at(main_pid).wrapper = true;
        at(main_pid).command = "sh -c python train.py";
        at(main_pid).python = false;
        held(main_pid, Bytes::mib(1));
        exits(code);
        child(101, Role::main);
        at(101).ended = 9900ms;
        e_.main_pid = 101;
        return *this;
    }

    // Words and signals.
    Story& says(std::string text) {
        e_.stderr_tail += std::move(text);
        return *this;
    }
    Story& raises(std::string type, std::string message, bool last = true) {
        TracebackText traceback;
        traceback.frames = {{"train.py", 42, "main"},
                            {"/usr/lib/python3.11/json/decoder.py", 355, "decode"}};
        traceback.type = type;
        traceback.message = message;
        traceback.ends_the_output = last;
        e_.traceback = traceback;
        says("Traceback (most recent call last):\n  File \"train.py\", line 42, in main\n" + type +
             ": " + message + "\n");
        return *this;
    }
    Story& stderr_hidden() {
        e_.stderr_seen = false;
        e_.stderr_tail.clear();
        e_.traceback.reset();
        return *this;
    }
    Story& signal_seen(int number, Nanos when, int pid = 77, std::string sender = "bash") {
        SignalSeen seen;
        seen.number = number;
        seen.time = when;
        seen.sender_pid = pid;
        seen.sender_uid = 1000;
        seen.sender = std::move(sender);
        e_.signals.push_back(seen);
        return *this;
    }
    Story& disk(std::string path, Bytes size, Bytes free, std::string use = "working directory") {
        e_.disks.push_back({std::move(use), std::move(path), "ext4", size, free, free, 1000});
        return *this;
    }

    // What the agent recorded inside the process.
    AgentEvidence& agent(int pid = main_pid) {
        for (AgentEvidence& agent : e_.agents)
            if (agent.pid == pid) return agent;
        AgentEvidence& agent = e_.agents.emplace_back();
        agent.pid = pid;
        agent.python = "3.11.7";
        agent.lines_readable = true;
        return agent;
    }
    // One line that grew by 3 MiB in each of 150 steps.
    Story& leaks(int pid = main_pid, bool by_step = true) {
        LeakEvidence leak;
        leak.frames = {{"train.py", 99, "<module>"}, {"train.py", 42, "train"}};
        leak.live = Bytes::mib(460);
        leak.growth.in_all = Bytes::mib(450);
        leak.growth.windows = 16;
        leak.growth.per_minute = 3.0 * 1048576 * 60;
        if (by_step) {
            leak.growth.steps = 150;
            leak.growth.per_step = 3.0 * 1048576;
            leak.growth.per_step_error = 0.1 * 1048576;
        }
        agent(pid).leak = leak;
        agent(pid).steps.count = by_step ? 150 : 0;
        agent(pid).steps.source = by_step ? "torch optimizer" : "";
        return *this;
    }
    Story& site(int line, Bytes live, std::optional<Bytes> before_steps = {}, int pid = main_pid) {
        SiteEvidence site;
        site.frames = {{"data.py", line, "load"},
                       {"/v/lib/python3.11/site-packages/numpy/x.py", 3, "load"}};
        site.live = site.peak = live;
        site.before_steps = before_steps;
        agent(pid).sites.push_back(site);
        return *this;
    }
    // The handler's record of the signal it dies by.
    CrashEvidence& crash(int signal, int code, int pid = main_pid) {
        CrashEvidence& crash = e_.crashes.emplace_back();
        crash.pid = pid;
        crash.time = 9900ms;
        crash.signal = signal;
        crash.code = code;
        crash.finished = true;
        crash.library = "/v/lib/libfoo.so";
        crash.native = {{"/lib/libc.so.6", "raise", 1, {}, {}},
                        {"/v/lib/libfoo.so", "foo::bar(int)", 16, {}, {}}};
        crash.python = {
            {"MainThread",
             {{"train.py", 42, "main"}, {"/v/lib/python3.11/site-packages/foo/x.py", 3, "call"}}}};
        return crash;
    }

    Evidence& evidence() { return e_; }
    CgroupLevel& own() { return e_.cgroups[0].levels[0]; }
    ProcessEvidence& at(int pid) {
        for (ProcessEvidence& process : e_.processes)
            if (process.pid == pid) return process;
        return e_.processes.front();
    }
    Verdict verdict() const { return diagnose(e_); }

private:
    static ProcessEvidence process(int pid, int parent, Role role, std::string name,
                                   std::string command) {
        ProcessEvidence p;
        p.pid = pid;
        p.parent = parent;
        p.role = role;
        p.name = std::move(name);
        p.command = std::move(command);
        p.python = true;
        p.last_seen = 9900ms;
        p.cgroup = 0;
        p.rss = Bytes::mib(10);
        return p;
    }
    Story& ends(ExitStatus exit) {
        e_.exit = exit;
        e_.processes.front().exit = exit;
        return *this;
    }

    Evidence e_;
};

inline std::string root_of(const Verdict& verdict) { return std::string(verdict.root.cause->slug); }
inline std::string end_of(const Verdict& verdict) { return std::string(verdict.end.cause->slug); }
inline bool certain(const Verdict& verdict) {
    return verdict.root.confidence == Confidence::certain;
}
inline bool contributes(const Verdict& verdict, std::string_view slug) {
    for (const Statement& finding : verdict.contributing)
        if (finding.cause->slug == slug) return true;
    return false;
}
inline bool has_evidence(const Statement& finding, std::string_view text) {
    for (const Observation& seen : finding.evidence)
        if ((seen.source + ": " + seen.text).find(text) != std::string::npos) return true;
    return false;
}

// What the program said last: an exception that nobody caught.
inline Verdict raised(std::string type, std::string message) {
    return Story().raises(std::move(type), std::move(message)).exits(1).verdict();
}

// The same as the agent recorded it, if stderr was a terminal.
inline Story recorded(std::string type, std::string message) {
    Story story;
    story.exits(1).raises(std::move(type), std::move(message));
    story.evidence().traceback->recorded = true;
    story.evidence().stderr_seen = false;
    story.evidence().stderr_tail.clear();
    return story;
}

// The uncaught exception that a rank's own agent recorded.
inline void raised_in(Story& story, int pid, std::string type, std::string message, Nanos when) {
    ExceptionEvidence thrown;
    thrown.time = when;
    thrown.in_main_thread = true;
    thrown.thread = "MainThread";
    thrown.type = std::move(type);
    thrown.message = std::move(message);
    thrown.frames = {{"train.py", 28, "worker"}};
    story.agent(pid).exceptions.push_back(thrown);
}

inline Story out_of_memory() {
    return std::move(Story().dies_by(SIGKILL).held(main_pid, Bytes::mib(500)).container_oom());
}

}  // namespace holdfast::testing
