// For tests: the record of a program that really crashed.
#pragma once

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "record/crash_box.h"

namespace holdfast {

class CrashSample {
public:
    CrashSample(const std::string& scenario, const std::string& library) {
        Result<CrashBox> made = CrashBox::create(nullptr, {});
        EXPECT_TRUE(made);
        box_ = std::move(*made);
        const std::string box =
            "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(box_.fd());
        const char* arguments[] = {HOLDFAST_CRASH_SAMPLE, box.c_str(), scenario.c_str(),
                                   library.c_str(), nullptr};
        // Keeps glibc's messages about its heap out of the test's output.
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1 /* O_WRONLY */, 0);
        pid_t pid = -1;
        EXPECT_EQ(::posix_spawn(&pid, HOLDFAST_CRASH_SAMPLE, &actions, nullptr,
                                const_cast<char**>(arguments), environ),
                  0);
        ::posix_spawn_file_actions_destroy(&actions);
        int status = 0;
        EXPECT_EQ(::waitpid(pid, &status, 0), pid);
        EXPECT_TRUE(WIFSIGNALED(status)) << scenario << " ended with " << status;
    }

    CrashBox& box() { return box_; }
    format::Crash& raw() {
        return *reinterpret_cast<format::Crash*>(box_.bytes().data() + format::crash_slots_offset);
    }
    CrashRecord record() const {
        const auto records = read_crashes(box_.fd());
        EXPECT_TRUE(records);
        EXPECT_EQ(records->size(), 1U);
        return records && !records->empty() ? records->front() : CrashRecord{};
    }

private:
    CrashBox box_;
};

}  // namespace holdfast
