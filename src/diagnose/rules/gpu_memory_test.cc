#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnose/evidence_builder.h"
#include "diagnose/oom/gpu_refusal.h"

namespace holdfast::testing {
namespace {

// PyTorch 2.11's words on an H200.
constexpr const char* too_much =
    "CUDA out of memory. Tried to allocate 200.00 GiB. GPU 0 has a total capacity of 139.80 GiB of "
    "which 139.26 GiB is free. Including non-PyTorch memory, this process has 540.00 MiB memory in "
    "use. Of the allocated memory 4.00 MiB is allocated by PyTorch, and 18.00 MiB is reserved by "
    "PyTorch but unallocated. If reserved but unallocated memory is large try setting "
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.";

std::string message(const char* asked, const char* free, const char* own, const char* unused,
                    const char* allocated) {
    return std::string("CUDA out of memory. Tried to allocate ") + asked +
           ". GPU 0 has a total capacity of 24.00 GiB of which " + free +
           " is free. Including non-PyTorch memory, this process has " + own +
           " memory in use. Of the allocated memory " + allocated +
           " is allocated by PyTorch, and " + unused + " is reserved by PyTorch but unallocated.";
}

Verdict refused(const std::string& text) {
    return std::move(Story().exits(1).raises("torch.OutOfMemoryError", text)).verdict();
}

TEST(CudaOom, IsNotWhatSomebodysOwnErrorSpeaksOf) {
    Story story;
    story.exits(1).raises("ValueError", "batch too large: CUDA out of memory was seen above 64");
    EXPECT_EQ(root_of(story.verdict()), "exception");
}

TEST(GpuRefusal, ReadsTheFiguresOfToday) {
    const auto read = parse_gpu_refusal(too_much);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->device, 0);
    EXPECT_EQ(read->asked, Bytes::gib(200));
    EXPECT_EQ(human(*read->capacity), "140 GiB");
    EXPECT_EQ(read->own, Bytes::mib(540));
    EXPECT_EQ(read->allocated, Bytes::mib(4));
    EXPECT_EQ(read->unused, Bytes::mib(18));
}

TEST(GpuRefusal, ReadsTheFiguresOfOlderVersions) {
    const auto read = parse_gpu_refusal(
        "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 1; 16.00 GiB total capacity; 10.00 "
        "GiB "
        "already allocated; 1.50 GiB free; 14.00 GiB reserved in total by PyTorch)");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->device, 1);
    EXPECT_EQ(read->asked, Bytes::gib(2));
    EXPECT_EQ(read->capacity, Bytes::gib(16));
    EXPECT_EQ(read->unused, Bytes::gib(4));
    EXPECT_EQ(read->own, Bytes::gib(14));
}

TEST(GpuRefusal, IsNotReadIntoOtherText) {
    EXPECT_FALSE(parse_gpu_refusal("DefaultCPUAllocator: can't allocate memory"));
    const auto bare = parse_gpu_refusal("CUDA out of memory. Tried to allocate many GiB. GPU x");
    ASSERT_TRUE(bare);
    EXPECT_FALSE(bare->asked || bare->capacity || bare->device);
    EXPECT_TRUE(parse_gpu_refusal("CUDA out of memory total capacity already allocated free;"));
}

TEST(CudaOom, IsCertainWhenItWouldNotFitAnEmptyGpu) {
    for (const std::string& text :
         {std::string(too_much),
          message("4.00 GiB", "1.00 GiB", "22.90 GiB", "200.00 MiB", "22.00 GiB")}) {
        const Verdict v = refused(text);
        EXPECT_EQ(root_of(v), "cuda-oom") << text;
        EXPECT_TRUE(certain(v)) << text;
    }
}

TEST(CudaOom, WithoutFiguresIsLikely) {
    const Verdict v = refused("CUDA out of memory.");
    EXPECT_EQ(root_of(v), "cuda-oom");
    EXPECT_FALSE(certain(v));
}

TEST(CudaOom, IsNotSaidOfOneThatWasCaught) {
    const Verdict v =
        std::move(Story().exits(3).says("CUDA out of memory. Tried to allocate 2 GiB")).verdict();
    EXPECT_NE(root_of(v), "cuda-oom");
}

TEST(CudaFragmentation, IsUnusedMemoryLargerThanTheRequest) {
    const Verdict v =
        refused(message("2.00 GiB", "1.00 GiB", "22.90 GiB", "3.00 GiB", "19.00 GiB"));
    EXPECT_EQ(root_of(v), "cuda-fragmentation");
    EXPECT_TRUE(certain(v));
}

TEST(CudaFragmentation, IsNotTheRestThatEveryFullCardHas) {
    const Verdict v =
        refused(message("32.00 MiB", "1.00 MiB", "23.90 GiB", "45.00 MiB", "23.00 GiB"));
    EXPECT_EQ(root_of(v), "cuda-oom");
}

TEST(CudaOom, IsCertainAtABoundTheProgramSetItself) {
    const Verdict v = refused(
        "CUDA out of memory. Tried to allocate 600.00 MiB. GPU 0 has a total capacity of 139.80 "
        "GiB "
        "of which 133.18 GiB is free. Including non-PyTorch memory, this process has 6.62 GiB "
        "memory in use. 6.00 GiB allowed; Of the allocated memory 5.37 GiB is allocated by "
        "PyTorch, "
        "and 21.87 MiB is reserved by PyTorch but unallocated.");
    EXPECT_EQ(root_of(v), "cuda-oom");
    EXPECT_TRUE(certain(v));
}

TEST(GpuPreallocated, IsMuchOfThisProcessThatPyTorchDidNotAllocate) {
    const Verdict v =
        refused(message("4.00 GiB", "1.00 GiB", "22.90 GiB", "2.00 MiB", "512.00 MiB"));
    EXPECT_EQ(root_of(v), "gpu-preallocated");
    EXPECT_TRUE(certain(v));
}

// PyTorch next to another framework, which the agent noted with its memory options.
Statement taken_beside(std::vector<std::string> frameworks) {
    Story story = std::move(Story().exits(1).raises(
        "torch.OutOfMemoryError",
        message("4.00 GiB", "1.00 GiB", "22.90 GiB", "2.00 MiB", "512.00 MiB")));
    for (std::string& text : frameworks)
        story.agent().notes.push_back(
            {NoteEvidence::Kind::framework, RunTime{}, 0, 0, std::move(text)});
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "gpu-preallocated");
    return v.root;
}

bool advised(const Statement& root, std::string_view text) {
    return std::any_of(root.fixes.begin(), root.fixes.end(), [&](const Fix& fix) {
        return fix.code.find(text) != std::string::npos || fix.text.find(text) != std::string::npos;
    });
}

TEST(GpuPreallocated, IsMendedInTheSpellingOfTheFrameworkThatWasLoaded) {
    const Statement tensorflow = taken_beside({"tensorflow"});
    EXPECT_TRUE(advised(tensorflow, "set_memory_growth(g, True)"));
    EXPECT_FALSE(advised(tensorflow, "XLA_"));
    const Statement jax = taken_beside({"jax"});
    EXPECT_TRUE(advised(jax, "three quarters"));
    EXPECT_TRUE(advised(jax, "XLA_PYTHON_CLIENT_PREALLOCATE=false"));
    EXPECT_FALSE(advised(jax, "TF_"));
    const Statement both = taken_beside({"tensorflow", "jax"});
    EXPECT_TRUE(advised(both, "set_memory_growth") && advised(both, "XLA_"));
    const Statement unknown = taken_beside({"torch 2.11.0", "keras 3", ""});
    EXPECT_TRUE(advised(unknown, "set_memory_growth") && advised(unknown, "XLA_"));
}

TEST(GpuPreallocated, AdvisesNothingThatIsSetAlready) {
    for (const char* grows :
         {"tensorflow\nTF_FORCE_GPU_ALLOW_GROWTH=true", "tensorflow\nset_memory_growth=true",
          "tensorflow\nTF_FORCE_GPU_ALLOW_GROWTH=1\nset_memory_growth=true"}) {
        const Statement root = taken_beside({grows});
        EXPECT_TRUE(advised(root, "memory_limit=8192")) << grows;
        EXPECT_FALSE(advised(root, "ALLOW_GROWTH") || advised(root, "set_memory_growth")) << grows;
    }
    // The variable wins over the call; a value that TensorFlow does not know sets nothing.
    EXPECT_TRUE(advised(
        taken_beside({"tensorflow\nTF_FORCE_GPU_ALLOW_GROWTH=false\nset_memory_growth=true"}),
        "the environment forbids it"));
    EXPECT_TRUE(advised(taken_beside({"tensorflow\nTF_FORCE_GPU_ALLOW_GROWTH=1"}),
                        "set_memory_growth(g, True)"));

    const Statement grown = taken_beside({"jax\nXLA_PYTHON_CLIENT_PREALLOCATE=false"});
    EXPECT_TRUE(advised(grown, "XLA_PYTHON_CLIENT_ALLOCATOR=platform"));
    EXPECT_FALSE(advised(grown, "PREALLOCATE"));
    EXPECT_TRUE(taken_beside({"jax\nXLA_PYTHON_CLIENT_ALLOCATOR=platform"}).fixes.empty());
}

TEST(GpuPreallocated, QuotesTheShareThatJaxWasGiven) {
    const Statement root = taken_beside({"jax\nXLA_CLIENT_MEM_FRACTION=.95"});
    EXPECT_TRUE(advised(root, "JAX takes 95 % at its start, because of XLA_CLIENT_MEM_FRACTION"));
    EXPECT_TRUE(advised(root, "or XLA_CLIENT_MEM_FRACTION=.40"));
    EXPECT_TRUE(std::any_of(root.evidence.begin(), root.evidence.end(), [](const Observation& e) {
        return e.text == "XLA_CLIENT_MEM_FRACTION=.95";
    }));
    for (const char* nonsense :
         {"jax\nXLA_CLIENT_MEM_FRACTION=much", "jax\nXLA_CLIENT_MEM_FRACTION=7",
          "jax\nXLA_CLIENT_MEM_FRACTION=nan", "jax\nXLA_CLIENT_MEM_FRACTION"})
        EXPECT_TRUE(advised(taken_beside({nonsense}), "three quarters")) << nonsense;
}

TEST(GpuOccupied, NamesWhoHoldsIt) {
    Story story = std::move(Story().exits(1).raises(
        "torch.OutOfMemoryError",
        message("4.00 GiB", "1.00 GiB", "2.00 GiB", "100.00 MiB", "1.00 GiB")));
    EXPECT_EQ(root_of(story.verdict()), "gpu-occupied");
    EXPECT_FALSE(certain(story.verdict()));
    GpuEvidence gpu;
    gpu.processes = {{main_pid, Bytes::gib(2), "python", true},
                     {77, Bytes::gib(20), "vllm", false}};
    story.evidence().gpus = {gpu};
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "gpu-occupied");
    EXPECT_TRUE(certain(v));
    EXPECT_NE(v.root.summary.find("vllm (pid 77)"), std::string::npos) << v.root.summary;
}

TEST(GpuOccupied, IsNotSaidWhereOthersHoldLittle) {
    EXPECT_EQ(
        root_of(refused(message("4.00 GiB", "1.00 GiB", "22.00 GiB", "100.00 MiB", "21.00 GiB"))),
        "cuda-oom");
}

}  // namespace
}  // namespace holdfast::testing
