#include "check/gpu_answers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "sources/test_roots.h"

namespace holdfast::check {
namespace {

GpuAnswers ask_stub(const std::string& record, int milliseconds = 5000) {
    const sources::TemporaryTree tree;
    tree.put("answers", record);
    ::setenv("HOLDFAST_NVML_RECORD", (tree.path() + "/answers").c_str(), 1);
    return ask_gpus(HOLDFAST_NVML_STUB, milliseconds);
}

const char* const h200 =
    "0 total=150754820096 used=644939776 free=150109880320 utilisation=3 temperature=38 reasons=1 "
    "ecc_uncorrected=0 slowdown=89 capability_major=9 capability_minor=0 persistence=1 "
    "compute_mode=0 mig=1 mig_devices=2 link_width=16 link_width_most=16 replays=7 "
    "remap_pending=0 remap_failed=1 remapped_uncorrected=4 recovery=2 fabric_state=3 "
    "fabric_status=0 name=NVIDIA H200";

TEST(GpuAnswers, ALibraryIsAskedForEverythingTheRecordKeeps) {
    const GpuAnswers answers = ask_stub("gpu driver 580.159.04\ngpu " + std::string(h200) + "\n");
    EXPECT_EQ(answers.absent_because, "");
    ASSERT_EQ(answers.lines.size(), 2U);
    EXPECT_EQ(answers.lines[0], "driver 580.159.04");
    EXPECT_EQ(answers.lines[1], h200);
}

TEST(GpuAnswers, WhatIsWrittenIsWhatIsRead) {
    const GpuPicture picture = parse_gpu_lines({"driver 1.2.3", h200});
    EXPECT_EQ(gpu_lines(picture), (std::vector<std::string>{"driver 1.2.3", h200}));
}

TEST(GpuAnswers, AGpuThatIsLostIsTold) {
    const GpuAnswers answers = ask_stub("gpu 0 lost=1 name=NVIDIA H200\n");
    const GpuPicture picture = parse_gpu_lines(answers.lines);
    ASSERT_EQ(picture.gpus.size(), 1U);
    EXPECT_TRUE(picture.gpus[0].reading.lost);
}

TEST(GpuAnswers, ADriverThatHangsIsGivenUp) {
    const GpuAnswers answers = ask_stub("hang\n", 100);
    EXPECT_TRUE(answers.lines.empty());
    EXPECT_NE(answers.absent_because.find("did not answer"), std::string::npos);
}

TEST(GpuAnswers, AMismatchOfModuleAndLibraryIsNamed) {
    EXPECT_NE(ask_stub("mismatch\n").absent_because.find("different versions"), std::string::npos);
}

TEST(GpuAnswers, WithoutTheLibraryThereIsAReason) {
    EXPECT_NE(ask_gpus("libholdfast-no-such-library.so", 1000).absent_because, "");
}

}  // namespace
}  // namespace holdfast::check
