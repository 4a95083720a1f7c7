// Frames of well-known code are recognised wherever they are installed, and others are not.
#include "knowledge/places.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(PythonPlaces, fetching_a_batch_is_known_but_making_a_loader_is_not) {
    const auto* file = "/v/lib/python3.12/site-packages/torch/utils/data/dataloader.py";
    EXPECT_TRUE(is_data_loading(file, "_MultiProcessingDataLoaderIter._try_get_data"));
    EXPECT_FALSE(is_data_loading(file, "_MultiProcessingDataLoaderIter.__init__"));
    EXPECT_FALSE(is_data_loading("/home/me/dataloader.py", "next"));
}

TEST(PythonPlaces, the_launcher_of_ranks_takes_no_part_in_their_collectives) {
    EXPECT_TRUE(is_collective("/v/site-packages/torch/distributed/distributed_c10d.py"));
    EXPECT_FALSE(is_collective("/v/site-packages/torch/distributed/run.py"));
    EXPECT_FALSE(is_collective("/v/site-packages/torch/distributed/elastic/agent/server/api.py"));
}

TEST(PythonPlaces, a_pause_is_known_by_its_name) {
    EXPECT_TRUE(is_pause_between_steps("Trainer.validate_epoch"));
    EXPECT_TRUE(is_pause_between_steps("save_checkpoint"));
    EXPECT_TRUE(is_pause_between_steps("runTest"));
    EXPECT_TRUE(is_pause_between_steps("Model.load_weights"));
    EXPECT_TRUE(is_pause_between_steps("Evaluator.run"));
    EXPECT_TRUE(is_pause_between_steps("sample.<locals>.step"));
    EXPECT_FALSE(is_pause_that_ends("sample_batch"));
    EXPECT_TRUE(is_pause_that_ends("save_checkpoint"));
    EXPECT_FALSE(is_pause_between_steps("Sampler.__iter__"));
    EXPECT_FALSE(is_pause_between_steps("Generator.forward"));
    EXPECT_FALSE(is_pause_between_steps("train_step"));
    EXPECT_FALSE(is_pause_between_steps("fastest_step"));
    EXPECT_FALSE(is_pause_between_steps("latest"));
    EXPECT_FALSE(is_pause_between_steps("retrieval_step"));
}

TEST(PythonPlaces, debuggers_and_compilers) {
    EXPECT_TRUE(is_process_start("/usr/lib/python3.11/multiprocessing/popen_fork.py"));
    EXPECT_FALSE(is_process_start("/home/ann/respawn/fork.py"));
    EXPECT_TRUE(is_debugger("/usr/lib/python3.11/pdb.py"));
    EXPECT_FALSE(is_debugger("/home/me/mypdb.py"));
    EXPECT_TRUE(is_compiler("/v/torch/_dynamo/eval_frame.py"));
    EXPECT_FALSE(is_compiler("/home/me/compiler.py"));
}

}  // namespace
}  // namespace holdfast
