#include "diagnose/oom/tensor_refusal.h"

#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/oom/gpu_refusal.h"

namespace holdfast::testing {
namespace {

constexpr const char* tensorflow_error =
    "tensorflow.python.framework.errors_impl.ResourceExhaustedError";
constexpr const char* jax_error = "jaxlib.xla_extension.XlaRuntimeError";

constexpr const char* graph_message =
    "Graph execution error:\n\nDetected at node 'model/conv5/Conv2D' defined at (most recent call "
    "last):\n    File \"train.py\", line 42, in main\nNode: 'model/conv5/Conv2D'\n"
    "OOM when allocating tensor with shape[64,512,112,112] and type float on "
    "/job:localhost/replica:0/task:0/device:GPU:1 by allocator GPU_1_bfc\n\t "
    "[[{{node model/conv5/Conv2D}}]]\nHint: If you want to see a list of allocated tensors when "
    "OOM happens, add report_tensor_allocations_upon_oom to RunOptions for current allocation "
    "info. This isn't available when running in Eager mode.\n [Op:__inference_train_function_4711]";

// The end of a report, as TensorFlow 2.13 and JAX 0.4 write it.
std::string report(const char* asked, const char* in_use, const char* pool, const char* free) {
    const std::string prefix =
        "2023-05-04 11:02:17.523971: I tensorflow/tsl/framework/bfc_allocator.cc:1083] ";
    return "2023-05-04 11:02:17.523401: W tensorflow/tsl/framework/bfc_allocator.cc:485] Allocator "
           "(GPU_0_bfc) ran out of memory trying to allocate 2.00GiB (rounded to " +
           std::string(asked) +
           ")requested by op model/conv5/Conv2D\nIf the cause is memory fragmentation maybe the "
           "environment variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation. "
           "\nCurrent allocation summary follows.\n" +
           prefix + "BFCAllocator dump for GPU_0_bfc\n" + prefix +
           "InUse at 7f3c2a000000 of size 1280 next 1\n" + prefix +
           "Free  at 7f3c2a000500 of size " + free + " next 2\n" + prefix +
           "Free  at 7f3c2a900500 of size 4096 next 3\n" + prefix +
           "Sum Total of in-use chunks: 6.51GiB\n" + prefix + "Total bytes in pool: " + pool +
           " memory_limit_: 8589934592 available bytes: 0 curr_region_allocation_bytes_: "
           "17179869184\n" +
           prefix +
           "Stats: \nLimit:                      8589934592\nInUse:                      " +
           in_use +
           "\nMaxInUse:                   8238655744\nNumAllocs:                       51234\n"
           "MaxAllocSize:               2147483648\nReserved:                            0\n"
           "PeakReserved:                        0\nLargestFreeBlock:                    0\n\n"
           "2023-05-04 11:02:17.523990: W tensorflow/tsl/framework/bfc_allocator.cc:497] "
           "****************************************************************_____****\n";
}

TEST(TensorRefusal, ReadsTensorFlowsShapeAndDevice) {
    const auto read = parse_tensor_refusal(tensorflow_error, graph_message);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->asked, (Bytes{64ULL * 512 * 112 * 112 * 4}));
    EXPECT_TRUE(read->on_gpu);
    EXPECT_EQ(read->device, 1);
    EXPECT_TRUE(read->line.starts_with("OOM when allocating tensor")) << read->line;
    const auto cpu = parse_tensor_refusal(
        tensorflow_error,
        "{{function_node __wrapped__Fill_device_/job:localhost/replica:0/task:0/device:CPU:0}} OOM "
        "when allocating tensor with shape[1048576,2097152] and type double on "
        "/job:localhost/replica:0/task:0/device:CPU:0 by allocator mklcpu [Op:Fill] name: ");
    ASSERT_TRUE(cpu);
    EXPECT_EQ(cpu->asked, Bytes{1ULL << 44U});
    EXPECT_TRUE(cpu->on_cpu && !cpu->on_gpu);
}

TEST(TensorRefusal, ReadsJaxOfOldAndNew) {
    for (const char* text :
         {"RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes.\n"
          "BufferAssignment OOM Debugging.",
          "RESOURCE_EXHAUSTED: Out of memory allocating 17179869184 bytes.",
          "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 16.00GiB."}) {
        const auto read = parse_tensor_refusal(jax_error, text);
        ASSERT_TRUE(read) << text;
        EXPECT_EQ(read->asked, Bytes::gib(16)) << text;
        EXPECT_FALSE(read->on_gpu || read->on_cpu);
    }
    EXPECT_TRUE(parse_tensor_refusal("jax.errors.JaxRuntimeError",
                                     "RESOURCE_EXHAUSTED: Out of memory allocating 5 bytes."));
}

TEST(TensorRefusal, IsNotReadIntoOtherText) {
    EXPECT_FALSE(parse_tensor_refusal("ValueError", graph_message));
    EXPECT_FALSE(parse_tensor_refusal(tensorflow_error, "Too many open files"));
    const auto odd = parse_tensor_refusal(
        tensorflow_error, "OOM when allocating tensor with shape[9,-1,x] and type float on GPU");
    ASSERT_TRUE(odd);
    EXPECT_FALSE(odd->asked);
    const auto huge = parse_tensor_refusal(
        tensorflow_error,
        "OOM when allocating tensor with shape[99999999999,99999999999] and type float on");
    EXPECT_FALSE(huge->asked);
    EXPECT_FALSE(parse_bfc_report("Limit: 5\nInUse: 4\n"));
    EXPECT_FALSE(parse_bfc_report(""));
}

TEST(BfcReport, HasWhatIsInUseAndTheLargestFreePiece) {
    const auto read =
        parse_bfc_report(report("2147483648", "6990405632", "8589934592", "268435456"));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->asked, Bytes::gib(2));
    EXPECT_EQ(read->limit, Bytes::gib(8));
    EXPECT_EQ(read->in_use, Bytes{6990405632});
    EXPECT_EQ(read->peak, Bytes{8238655744});
    EXPECT_EQ(read->pool, Bytes::gib(8));
    EXPECT_EQ(read->largest_free, Bytes::mib(256));
}

// What TensorFlow 2.21 wrote of its pool on the processor; a GPU's has another name. Every second
// piece was free. `pool` stands in for the lines about the whole pool.
std::string rounded_report(const char* pool) {
    return "W0000 00:00:1795098328.469515   24859 bfc_allocator.cc:502] Allocator (GPU_0_bfc) ran "
           "out of memory trying to allocate 64.00MiB (rounded to 67108864)requested by op Fill\n"
           "If the cause is memory fragmentation maybe the environment variable "
           "'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation. \nCurrent allocation "
           "summary follows.\nCurrent allocation summary follows.\n"
           "I0000 00:00:1795098328.469744   24859 bfc_allocator.cc:1105] InUse at 7f58fbffe040 of "
           "size 33554432 next 18446744073709551615\n"
           "I0000 00:00:1795098328.469746   24859 bfc_allocator.cc:1085] Next region of size "
           "33554432\n"
           "I0000 00:00:1795098328.469751   24859 bfc_allocator.cc:1105] Free  at 7f58fdfff040 of "
           "size 33554432 next 18446744073709551615\n"
           "I0000 00:00:1795098328.469760   24859 bfc_allocator.cc:1117] Sum Total of in-use "
           "chunks: 256.00MiB\n"
           "I0000 00:00:1795098328.469762   24859 bfc_allocator.cc:1119] " +
           std::string(pool) +
           "\nI0000 00:00:1795098328.469766   24859 bfc_allocator.cc:1128] Stats: \n"
           "Limit:                       512.00MiB\nInUse:                       256.00MiB\n"
           "MaxInUse:                    512.00MiB\nNumAllocs:                          16\n"
           "MaxAllocSize:                 32.00MiB\nReserved:                           0B\n"
           "PeakReserved:                       0B\nLargestFreeBlock:                   0B\n\n";
}

TEST(BfcReport, IsReadInRoundedUnitsToo) {
    for (const char* pool :
         {// TensorFlow 2.21
          "Total size in pool: 512.00MiB memory_limit_: 512.00MiB available size: 0B "
          "curr_region_allocation_bytes_: 512.00MiB",
          // JAX 0.12, by its sources
          "Allocator memory summary: rounded request 64.00MiB, total free in pool 256.00MiB, "
          "largest free chunk usable by lower end 32.00MiB, unallocated bytes 0B, pool size "
          "512.00MiB, pool limit 512.00MiB"}) {
        const auto read = parse_bfc_report(rounded_report(pool));
        ASSERT_TRUE(read) << pool;
        EXPECT_EQ(read->asked, Bytes::mib(64));
        EXPECT_EQ(read->limit, Bytes::mib(512));
        EXPECT_EQ(read->in_use, Bytes::mib(256));
        EXPECT_EQ(read->peak, Bytes::mib(512));
        EXPECT_EQ(read->pool, Bytes::mib(512)) << pool;
        EXPECT_EQ(read->largest_free, Bytes::mib(32));
    }
}

TEST(BfcReport, IsNotAWarningThatNothingFailed) {
    EXPECT_FALSE(parse_bfc_report(
        "W tensorflow/tsl/framework/bfc_allocator.cc:290] Allocator (GPU_0_bfc) ran out of memory "
        "trying to allocate 2.29GiB with freed_by_count=0. The caller indicates that this is not a "
        "failure, but this may mean that there could be performance gains if more memory were "
        "available."));
}

Verdict dies_of(const std::string& log, const char* type, const char* message) {
    return std::move(Story().exits(1).says(log).raises(type, message)).verdict();
}

TEST(CudaOom, OfTensorFlowIsCertainWhereWhatIsInUseLeavesNoRoom) {
    const Verdict v = dies_of(report("2147483648", "7516192768", "8589934592", "1048576"),
                              tensorflow_error, graph_message);
    EXPECT_EQ(root_of(v), "cuda-oom");
    EXPECT_TRUE(certain(v));
    EXPECT_NE(v.root.summary.find("7 GiB"), std::string::npos) << v.root.summary;
    EXPECT_NE(v.root.fixes.front().code.find("batch_size"), std::string::npos);
}

TEST(CudaOom, OfTensorFlowWithoutALogIsLikely) {
    const Verdict v = dies_of("", tensorflow_error, graph_message);
    EXPECT_EQ(root_of(v), "cuda-oom");
    EXPECT_FALSE(certain(v));
}

TEST(CudaFragmentation, OfTensorFlowIsFreeMemoryInPieces) {
    const Verdict v = dies_of(report("2147483648", "5368709120", "8589934592", "1073741824"),
                              tensorflow_error, graph_message);
    EXPECT_EQ(root_of(v), "cuda-fragmentation");
    EXPECT_NE(v.root.fixes.front().code.find("TF_GPU_ALLOCATOR"), std::string::npos);
}

NoteEvidence told(const char* framework) {
    return {NoteEvidence::Kind::framework, RunTime{}, 0, 0, framework};
}

TEST(CudaFragmentation, IsNotMendedByAPoolThatWasChosenTooLate) {
    Story story;
    story.exits(1)
        .says(report("2147483648", "5368709120", "8589934592", "1073741824"))
        .raises(tensorflow_error, graph_message);
    story.agent().notes = {told("tensorflow\nTF_GPU_ALLOCATOR=cuda_malloc_async")};
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "cuda-fragmentation");
    EXPECT_NE(v.root.fixes.front().text.find("before the import"), std::string::npos);
}

TEST(CudaOom, OfJaxTellsTheShareThatItWasGiven) {
    Story story;
    story.exits(1).raises(jax_error,
                          "RESOURCE_EXHAUSTED: Out of memory allocating 8589934592 bytes.");
    GpuEvidence gpu;
    gpu.processes = {{main_pid, Bytes::gib(2), "python", true}};
    story.evidence().gpus = {gpu};
    story.agent().notes = {told("jax\nXLA_PYTHON_CLIENT_MEM_FRACTION=.40")};
    const Verdict small = story.verdict();
    EXPECT_EQ(root_of(small), "cuda-oom");
    EXPECT_EQ(small.root.fixes.front().code, "XLA_PYTHON_CLIENT_MEM_FRACTION=.90");
    EXPECT_NE(small.root.fixes.front().text.find("40 %"), std::string::npos);
    story.agent().notes = {told("jax\nXLA_PYTHON_CLIENT_MEM_FRACTION=.95")};
    EXPECT_NE(story.verdict().root.fixes.front().code.find("jax.checkpoint"), std::string::npos);
}

TEST(GpuOccupied, OfTensorFlowIsAPoolThatCouldNotGrowToItsLimit) {
    const Verdict v = dies_of(report("2147483648", "1073741824", "1610612736", "1048576"),
                              tensorflow_error, graph_message);
    EXPECT_EQ(root_of(v), "gpu-occupied");
    EXPECT_FALSE(certain(v));
}

TEST(AllocRefused, IsTensorFlowsOwnWordOnTheProcessor) {
    Story story;
    story.evidence().host.available_last = Bytes::gib(16);
    story.exits(1).raises(tensorflow_error,
                          "OOM when allocating tensor with shape[1048576,2097152] and type float "
                          "on /job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu");
    EXPECT_EQ(end_of(story.verdict()), "alloc-refused");
    EXPECT_TRUE(certain(story.verdict()));
    // JAX names no device: if no GPU was used, it was the CPU's memory.
    Story jax;
    jax.evidence().host.available_last = Bytes::gib(16);
    jax.exits(1).raises(jax_error,
                        "RESOURCE_EXHAUSTED: Out of memory allocating 4398046511104 bytes.");
    EXPECT_EQ(end_of(jax.verdict()), "alloc-refused");
    GpuEvidence gpu;
    gpu.processes = {{main_pid, Bytes::gib(2), "python", true}};
    jax.evidence().gpus = {gpu};
    EXPECT_EQ(root_of(jax.verdict()), "cuda-oom");
    EXPECT_NE(jax.verdict().root.fixes.front().code.find("jax.checkpoint"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::testing
