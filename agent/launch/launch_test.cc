// The pieces that remember kernel launches. Slots are those of this test's own program.
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/base/private_memory.h"
#include "agent/launch/kernel_name.h"
#include "agent/launch/kernel_names.h"
#include "agent/launch/origin.h"
#include "agent/launch/sites.h"
#include "agent/launch/slots.h"

namespace holdfast::agent {
namespace {

std::string short_name(const std::string& mangled) {
    char out[longest_kernel_name];
    return {out, short_kernel_name(Text(mangled.data(), mangled.size()), out)};
}

TEST(KernelName, IsTheLastPartOfTheMangledName) {
    EXPECT_EQ(
        short_name("_ZN2at6native38nll_loss_forward_reduce_cuda_kernel_2dIffflEEvPT_S3_PKS2_"),
        "nll_loss_forward_reduce_cuda_kernel_2d");
    EXPECT_EQ(short_name("_Z9my_kernelPf"), "my_kernel");
    EXPECT_EQ(short_name("_ZL9my_kernelPf"), "my_kernel");
    EXPECT_EQ(short_name("triton_poi_fused_0"), "triton_poi_fused_0");
    EXPECT_EQ(
        short_name("_ZN2at6native12_GLOBAL__N_121indexSelectSmallIndexIfljLi2ELi2ELin2EEEvNS_"),
        "indexSelectSmallIndex");
}

TEST(KernelName, TellsTheFunctionAroundALambda) {
    EXPECT_EQ(short_name("_ZN2at6native29vectorized_elementwise_kernelILi4EZZZNS0_12_GLOBAL__N_131"
                         "binary_cross_entropy_out_kernelERNS_18TensorIteratorBaseElENKUlvE_clEv"),
              "vectorized_elementwise_kernel(binary_cross_entropy_out_kernel)");
    EXPECT_EQ(short_name("_ZN2at6native24index_elementwise_kernelILi128ELi4EZNS0_16gpu_index_kernel"
                         "IZZZNS0_17index_kernel_implINS0_10OpaqueTypeILi4EEEEEvRNS_"),
              "index_elementwise_kernel(gpu_index_kernel)");
}

TEST(KernelName, OfNonsenseIsNothingOrShort) {
    EXPECT_EQ(short_name("_Z"), "");
    EXPECT_EQ(short_name("_ZN99abc"), "");
    EXPECT_EQ(short_name("_ZN2at99999999999999999999999x"), "");
    EXPECT_EQ(short_name("_ZNS"), "");
    EXPECT_LE(short_name(std::string(4000, 'x')).size(), longest_kernel_name);
    // Every cut of a real name is read to its end and no further.
    const std::string whole =
        "_ZN2at6native24index_elementwise_kernelILi128ELi4EZNS0_16gpu_index_kernelIZZZNS0_17index_"
        "kernel_implINS0_10OpaqueTypeILi4EEEEEvRNS_";
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto cut = std::make_unique<char[]>(size);
        std::copy_n(whole.begin(), size, cut.get());
        char out[longest_kernel_name];
        EXPECT_LE(short_kernel_name(Text(cut.get(), size), out), longest_kernel_name);
    }
}

TEST(Origin, IsTheProgramsOwnOutsideOfLibraries) {
    EXPECT_EQ(origin_of("/home/u/train.py"), CodeOrigin::own);
    EXPECT_EQ(origin_of("train.py"), CodeOrigin::own);
    EXPECT_EQ(origin_of("<ipython-input-3-abc>"), CodeOrigin::own);
    EXPECT_EQ(origin_of("<string>"), CodeOrigin::made_up);
    EXPECT_EQ(origin_of("<holdfast torch_steps>"), CodeOrigin::foreign);
    EXPECT_EQ(origin_of("/v/lib/python3.12/site-packages/torch/nn/functional.py"),
              CodeOrigin::foreign);
    EXPECT_EQ(origin_of("/usr/lib/python3.12/threading.py"), CodeOrigin::foreign);
    EXPECT_EQ(origin_of(""), CodeOrigin::foreign);
}

TEST(Origin, IsKnownForTheSameCodeOnly) {
    const auto cache = std::make_unique<OriginCache>();
    std::uint32_t identity = 0;
    EXPECT_EQ(cache->find(0x1000, 0x20, identity), CodeOrigin::unknown);
    cache->put(0x1000, 0x20, 7, CodeOrigin::own);
    EXPECT_EQ(cache->find(0x1000, 0x20, identity), CodeOrigin::own);
    EXPECT_EQ(identity, 7U);
    EXPECT_EQ(cache->find(0x1000, 0x28, identity), CodeOrigin::unknown);
    EXPECT_EQ(cache->find(0x1000 + 16 * 1024, 0x20, identity), CodeOrigin::unknown);
}

class Sites : public ::testing::Test {
protected:
    LaunchSite* launch(int kernel, std::uintptr_t code, LaunchStream* stream) {
        bool fresh = false;
        LaunchSite* site = sites->find(&kernels[kernel], {code, 2, 1}, {}, stream, false, fresh);
        if (site != nullptr) sites->launched(*site);
        return site;
    }
    void wait(LaunchStream* stream, bool well = true) {
        const std::uint32_t stretch = LaunchSites::begin_wait(*stream);
        if (well) LaunchSites::end_wait(*stream, stretch);
    }
    std::vector<std::uintptr_t> open() const {
        std::vector<std::uintptr_t> found;
        sites->each([&](const LaunchSite& site) {
            if (LaunchSites::open(site)) found.push_back(site.line.code);
        });
        std::sort(found.begin(), found.end());
        return found;
    }

    std::unique_ptr<LaunchSites> sites = std::make_unique<LaunchSites>();
    LaunchStream* main = sites->stream(nullptr, 0);
    char kernels[8] = {};
};

TEST_F(Sites, AreOpenUntilAWaitEndsWell) {
    launch(0, 100, main);
    launch(1, 200, main);
    EXPECT_EQ(open(), (std::vector<std::uintptr_t>{100, 200}));
    wait(main);
    EXPECT_TRUE(open().empty());
    launch(0, 100, main);
    wait(main, false);
    EXPECT_EQ(open(), (std::vector<std::uintptr_t>{100}));
}

TEST_F(Sites, CountSinceTheLastGoodWait) {
    const LaunchSite* site = launch(0, 100, main);
    launch(0, 100, main);
    EXPECT_EQ(site->count.load(), 2U);
    wait(main);
    EXPECT_EQ(launch(0, 100, main), site);
    EXPECT_EQ(site->count.load(), 1U);
    wait(main, false);
    launch(0, 100, main);
    EXPECT_EQ(site->count.load(), 2U);
}

TEST_F(Sites, KeepTheOrderOfFirstLaunches) {
    const LaunchSite* early = launch(0, 100, main);
    const LaunchSite* late = launch(0, 200, main);
    launch(0, 100, main);
    EXPECT_LT(early->first.load(), late->first.load());
    wait(main);
    launch(0, 200, main);
    launch(0, 100, main);
    EXPECT_LT(late->first.load(), early->first.load());
}

TEST_F(Sites, AreNotSettledByAWaitForAnotherStreamOrDevice) {
    LaunchStream* side = sites->stream(kernels, 0);
    LaunchStream* second = sites->stream(nullptr, 1);
    ASSERT_NE(side, main);
    ASSERT_NE(second, main);
    EXPECT_EQ(sites->stream(nullptr, 1), second);
    launch(0, 100, main);
    wait(side);
    wait(second);
    EXPECT_EQ(open(), (std::vector<std::uintptr_t>{100}));
    int seen = 0;
    sites->each_stream(0, [&](LaunchStream&) { ++seen; });
    EXPECT_EQ(seen, 2);
}

TEST_F(Sites, LaunchedDuringAWaitAreNotSettledByIt) {
    launch(0, 100, main);
    const std::uint32_t stretch = LaunchSites::begin_wait(*main);
    launch(0, 200, main);
    LaunchSites::end_wait(*main, stretch);
    EXPECT_EQ(open(), (std::vector<std::uintptr_t>{200}));
}

TEST_F(Sites, ThatFindNoRoomAreCounted) {
    for (std::uintptr_t code = 1; code < 6000; ++code) launch(0, code * 64, main);
    EXPECT_GT(sites->dropped(), 0U);
    EXPECT_LE(open().size(), 4096U);
    EXPECT_GT(open().size(), 2000U);
}

int asked = 0, taken = 0, error_before = 0;
NameSource source() {
    NameSource from;
    from.name = [](const char** name, const void* function) {
        ++asked;
        if (function == nullptr) return 98;
        *name = "_ZN2at6native4fillEv";
        return 0;
    };
    from.peek_error = [] { return error_before; };
    from.take_error = [] { return ++taken; };
    return from;
}

TEST(Names, AreAskedOnceAndNeverOverAnError) {
    const auto names = std::make_unique<KernelNames>();
    const int function = 0;
    error_before = 700;
    names->learn(&function, source());
    EXPECT_EQ(asked, 0);
    error_before = 0;
    names->learn(&function, source());
    names->learn(&function, source());
    EXPECT_EQ(asked, 1);
    const Text name = names->of(&function);
    EXPECT_EQ(std::string(name.data, name.size), "fill");
    names->learn(nullptr, source());
    EXPECT_EQ(taken, 1);  // an error of ours does not stay
}

std::uintptr_t real_getppid = 0;
pid_t other_parent() { return 1 + reinterpret_cast<pid_t (*)()>(real_getppid)(); }

TEST(Slots, LeadElsewhereInOneLibraryOnly) {
    // The program itself has no name.
    const WantedSlot wanted[] = {
        {"getppid", reinterpret_cast<void*>(&other_parent), &real_getppid}};
    EXPECT_EQ(redirect("libnosuch.so", wanted, 1), 0U);
    const pid_t parent = ::getppid();
    ASSERT_EQ(redirect("", wanted, 1), 1U);
    EXPECT_EQ(::getppid(), parent + 1);
    EXPECT_EQ(redirect("", wanted, 1), 0U);  // it is ours already
    EXPECT_EQ(::getppid(), parent + 1);
}

}  // namespace
}  // namespace holdfast::agent
