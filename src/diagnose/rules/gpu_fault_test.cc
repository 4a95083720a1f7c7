// A kernel that failed on the GPU: which line launched it, and what its assertion tells.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/text/device_assertion.h"

namespace holdfast {
namespace {

using namespace testing;

constexpr const char* label_assertion =
    "/pytorch/aten/src/ATen/native/cuda/Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: "
    "block: [0,0,0], thread: [7,0,0] Assertion `t >= 0 && t < n_classes` failed.\n";
constexpr const char* nll = "nll_loss_forward_reduce_cuda_kernel_2d";
constexpr const char* fill = "vectorized_elementwise_kernel(fill_kernel)";

LaunchEvidence launch(std::string kernel, std::optional<int> line, std::uint64_t count = 1) {
    LaunchEvidence row;
    row.kernel = std::move(kernel);
    if (line) row.line = Frame{"train.py", *line, "train"};
    row.count = count;
    return row;
}

// Noticed at line 42 of train.py; see Story::raises.
Story failed(const char* words, std::vector<LaunchEvidence> rows) {
    Story story;
    story.exits(1);
    LaunchesEvidence launches;
    launches.all_seen = true;
    launches.rows = std::move(rows);
    story.agent().launches = launches;
    story.raises("torch.AcceleratorError", words);
    return story;
}

Story assert_failed(const char* printed, std::vector<LaunchEvidence> rows) {
    Story story = failed("CUDA error: device-side assert triggered", std::move(rows));
    story.evidence().stderr_tail = printed + story.evidence().stderr_tail;
    return story;
}

Story access_failed(std::vector<LaunchEvidence> rows) {
    return failed("CUDA error: an illegal memory access was encountered", std::move(rows));
}

std::optional<int> line_of(const Statement& finding) {
    return finding.where ? finding.where->line : std::nullopt;
}

TEST(DeviceAssertion, IsReadFromWhatTheDriverPrints) {
    const auto said =
        device_assertion(std::string("epoch 3\n") + label_assertion + label_assertion);
    ASSERT_TRUE(said);
    EXPECT_EQ(said->file, "Loss.cu");
    EXPECT_EQ(said->function, nll);
    EXPECT_EQ(said->condition, "t >= 0 && t < n_classes");
}

TEST(DeviceAssertion, OfTheProgramItselfIsNone) {
    EXPECT_FALSE(device_assertion("python: a.c:3: main: Assertion `x' failed.\n"));
    EXPECT_FALSE(device_assertion("] Assertion `x` failed. : block: [\n"));
    EXPECT_FALSE(device_assertion(": block: [0,0,0], thread: [0,0,0] Assertion `x` failed.\n"));
}

TEST(DeviceAssertion, OfTwoKernelsIsNobodys) {
    const std::string other =
        "a.cu:1: other: block: [0,0,0], thread: [0,0,0] Assertion `x` failed.\n";
    EXPECT_FALSE(device_assertion(label_assertion + other));
}

TEST(DeviceAssertion, OfALambdaFitsTheKernelsOfItsFile) {
    const auto said = device_assertion(
        "/p/IndexKernel.cu:111: operator(): block: [0,0,0], thread: [0,0,0] Assertion `-sizes[i] "
        "<= index && index < sizes[i] && \"index out of bounds\"` failed.\n");
    ASSERT_TRUE(said);
    EXPECT_TRUE(fits_kernel(*said, "index_elementwise_kernel(gpu_index_kernel)"));
    EXPECT_FALSE(fits_kernel(*said, fill));
    EXPECT_FALSE(fits_kernel({"Other.cu", "operator()", ""}, fill));
}

TEST(CudaAssert, NamesTheLineThatLaunchedTheKernel) {
    const Verdict v =
        assert_failed(label_assertion, {launch(fill, 10), launch(nll, 20, 3), launch(fill, 30)})
            .verdict();
    EXPECT_EQ(end_of(v), "cuda-assert");
    EXPECT_EQ(root_of(v), "bad-label");
    EXPECT_TRUE(certain(v));
    EXPECT_EQ(line_of(v.root), 20);
    EXPECT_EQ(line_of(v.end), 20);
    EXPECT_TRUE(has_evidence(v.root,
                             "launched at: train.py:20 (kernel nll_loss_forward_reduce_cuda_"
                             "kernel_2d, 3 launches since the last wait)"));
    EXPECT_TRUE(has_evidence(v.root, "noticed at: train.py:42"));
}

TEST(CudaAssert, OfTwoLinesNamesTheFirstAndIsNotSure) {
    const Verdict v = assert_failed(label_assertion, {launch(nll, 20), launch(nll, 25)}).verdict();
    EXPECT_EQ(root_of(v), "bad-label");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
    EXPECT_EQ(line_of(v.root), 20);
    EXPECT_TRUE(has_evidence(v.root, "or at train.py:25"));
}

TEST(CudaAssert, IsNotSureOfALineWhereSomethingWasNotSeen) {
    Story lost = assert_failed(label_assertion, {launch(nll, 20)});
    lost.agent().launches->all_seen = false;
    EXPECT_EQ(lost.verdict().root.confidence, Confidence::likely);

    Story lent = assert_failed(label_assertion, {launch(nll, 20)});
    lent.agent().launches->rows[0].borrowed = true;
    EXPECT_EQ(lent.verdict().root.confidence, Confidence::likely);

    const Verdict nameless =
        assert_failed(label_assertion, {launch(nll, 20), launch("", 30)}).verdict();
    EXPECT_EQ(nameless.root.confidence, Confidence::likely);
    EXPECT_EQ(line_of(nameless.root), 20);
}

TEST(CudaAssert, OfAKernelThatWasNotSeenNamesNoLine) {
    const Verdict v = assert_failed(label_assertion, {launch(fill, 10)}).verdict();
    EXPECT_EQ(root_of(v), "bad-label");
    EXPECT_TRUE(certain(v));
    EXPECT_FALSE(v.root.where);
    Story graph = assert_failed(label_assertion, {launch(nll, 20)});
    graph.agent().launches->graphs = true;
    EXPECT_FALSE(graph.verdict().root.where);
}

TEST(CudaAssert, WithoutItsWordsGoesByTheKernelsThatCheck) {
    const Verdict v = assert_failed("", {launch(fill, 10), launch(nll, 20)}).verdict();
    EXPECT_EQ(root_of(v), "cuda-assert");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
    EXPECT_EQ(line_of(v.root), 20);
    const Verdict two = assert_failed("", {launch(nll, 10), launch(nll, 20)}).verdict();
    EXPECT_TRUE(certain(two));
    EXPECT_FALSE(two.root.where);
}

TEST(CudaAssert, UnwatchedKeepsTheLineThatNoticed) {
    Story story = assert_failed(label_assertion, {});
    story.agent().launches.reset();
    const Verdict v = story.verdict();
    EXPECT_EQ(line_of(v.end), 42);
    EXPECT_EQ(root_of(v), "bad-label");
    EXPECT_FALSE(v.root.where);
}

TEST(CudaAssert, OfAnotherConditionIsNoLabel) {
    const char* odd = "a.cu:1: check: block: [0,0,0], thread: [0,0,0] Assertion `x != 3` failed.\n";
    const Verdict v = assert_failed(odd, {launch("check", 20)}).verdict();
    EXPECT_EQ(root_of(v), "cuda-assert");
    EXPECT_EQ(line_of(v.root), 20);
    EXPECT_TRUE(certain(v));
}

TEST(CudaAssert, PrintedByAProgramThatEndsOtherwiseIsNone) {
    Story story;
    story.exits(0).says(label_assertion);
    EXPECT_EQ(root_of(story.verdict()), "clean-exit");
    Story other;
    other.exits(1).says(label_assertion).raises("KeyError", "'x'");
    EXPECT_EQ(root_of(other.verdict()), "exception");
}

TEST(IllegalAccess, NamesALineOnlyWhereItIsTheOnlyOne) {
    const Verdict one = access_failed({launch(fill, 20, 2)}).verdict();
    EXPECT_EQ(root_of(one), "cuda-illegal-access");
    EXPECT_EQ(line_of(one.root), 20);
    EXPECT_EQ(one.root.confidence, Confidence::likely);

    const Verdict two = access_failed({launch(fill, 20), launch(nll, 30)}).verdict();
    EXPECT_FALSE(two.root.where);
    EXPECT_TRUE(certain(two));

    Story beside = access_failed({launch(fill, 20)});
    beside.agent().launches->elsewhere = true;
    EXPECT_FALSE(beside.verdict().root.where);

    EXPECT_FALSE(access_failed({launch(fill, 20), launch(fill, {})}).verdict().root.where);
}

}  // namespace
}  // namespace holdfast
