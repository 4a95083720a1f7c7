// A lost GPU, and a GPU that another program used.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast {
namespace {

using testing::Story;

TEST(Hardware, ALostGpuIsCertainWhereTheProgramUsedOne) {
    Story story;
    story.raises("RuntimeError", "CUDA error: unknown error").exits(1);
    KernelLogEntry entry;
    entry.kind = KernelLogEntry::Kind::gpu_fault;
    entry.xid = 79;
    entry.text = "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.";
    story.evidence().kernel_log.push_back(entry);
    EXPECT_EQ(story.verdict().root.cause, "gpu-lost"_cause);
    EXPECT_EQ(story.verdict().root.confidence, Confidence::certain);
}

TEST(Hardware, AnotherPrograms31IsNotOurLostGpu) {
    Story story;
    story.raises("ValueError", "no such split").exits(1);
    KernelLogEntry entry;
    entry.kind = KernelLogEntry::Kind::gpu_fault;
    entry.xid = 48;
    story.evidence().kernel_log.push_back(entry);
    EXPECT_EQ(story.verdict().root.cause, "exception"_cause);
}

}  // namespace
}  // namespace holdfast
