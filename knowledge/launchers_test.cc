#include "knowledge/launchers.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(Launchers, AreFoundByTheirProgramScriptOrModule) {
    EXPECT_EQ(launcher_in("/usr/bin/mpirun -np 4 python train.py"), "mpirun");
    EXPECT_EQ(launcher_in("slurmstepd: [42.0]"), "Slurm");
    EXPECT_EQ(launcher_in("'slurmstepd: [42.0]'"), "Slurm");
    EXPECT_EQ(launcher_in("/v/bin/python3.11 -u /v/bin/torchrun train.py"), "torchrun");
    EXPECT_EQ(launcher_in("python3 -m torch.distributed.run train.py"), "torchrun");
}

TEST(Launchers, AreNotFoundInArguments) {
    EXPECT_EQ(launcher_in("python train.py torchrun"), "");
    EXPECT_EQ(launcher_in("python -m pdb torchrun"), "");
    EXPECT_EQ(launcher_in("grep mpirun"), "");
    EXPECT_EQ(launcher_in("python -m"), "");
    EXPECT_EQ(launcher_in(""), "");
    EXPECT_EQ(launcher_in("RANK train.py"), "");  // another section
}

TEST(Launchers, TellARankByTheseVariables) {
    const std::vector<std::string_view> known{"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    EXPECT_EQ(rank_variables(), known);
}

}  // namespace
}  // namespace holdfast
