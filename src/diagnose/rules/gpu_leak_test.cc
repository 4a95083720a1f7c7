// HF203 and what must not be called it.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

GrowthSeen gpu_growth() {
    return GrowthSeen{Bytes::gib(20), 200, 100.0 * 1048576, 1048576.0, 6e9, 16};
}

TEST(GpuLeak, ExplainsAGpuThatRanOut) {
    Story story = std::move(
        Story().exits(1).raises("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate"));
    story.agent().steps.gpu_growth = gpu_growth();
    story.agent().steps.count = 200;
    EXPECT_EQ(root_of(story.verdict()), "gpu-leak");
    EXPECT_EQ(end_of(story.verdict()), "cuda-oom");
}

NoteEvidence kept_note(std::int64_t count, std::int64_t graphs, const std::string& text) {
    NoteEvidence note;
    note.kind = NoteEvidence::Kind::kept_tensors;
    note.a = count;
    note.b = graphs;
    note.text = text;
    return note;
}

TEST(GpuLeak, NamesWhoKeepsTheTensors) {
    Story story = std::move(
        Story().exits(1).raises("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate"));
    story.agent().steps.gpu_growth = gpu_growth();
    story.agent().steps.count = 200;
    story.agent().notes.push_back(kept_note(200, 200, "losses\n/home/u/train.py\n16"));
    const Verdict verdict = story.verdict();
    EXPECT_EQ(root_of(verdict), "gpu-leak");
    ASSERT_TRUE(verdict.root.where);
    EXPECT_EQ(verdict.root.where->line, 16);
    EXPECT_NE(verdict.root.summary.find("`losses`"), std::string::npos);
}

TEST(GpuLeak, DoesNotBlameAContainerWithoutAGraphForEachStep) {
    // Notes that must not count: too few tensors, batches put there in advance, and nonsense.
    for (const NoteEvidence& note : {kept_note(40, 40, "few\n/home/u/train.py\n16"),
                                     kept_note(5000, 0, "batches\n/home/u/train.py\n16"),
                                     kept_note(200, 200, "broken"), kept_note(200, 200, "")}) {
        Story story = std::move(Story().exits(1).raises("torch.OutOfMemoryError",
                                                        "CUDA out of memory. Tried to allocate"));
        story.agent().steps.gpu_growth = gpu_growth();
        story.agent().steps.count = 200;
        story.agent().notes.push_back(note);
        const Verdict verdict = story.verdict();
        EXPECT_EQ(root_of(verdict), "gpu-leak");
        EXPECT_FALSE(certain(verdict));
        EXPECT_EQ(verdict.root.summary.find("keeps"), std::string::npos);
    }
}

TEST(GpuLeak, DoesNotExplainAnotherException) {
    Story story = std::move(Story().exits(1).raises("ValueError", "bad"));
    story.agent().steps.gpu_growth = gpu_growth();
    EXPECT_EQ(root_of(story.verdict()), "exception");
    EXPECT_TRUE(contributes(story.verdict(), "gpu-leak"));
}

}  // namespace
}  // namespace holdfast::testing
