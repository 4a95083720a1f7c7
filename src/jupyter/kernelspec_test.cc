#include "jupyter/kernelspec.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/json.h"
#include "jupyter/kernelspec_store.h"
#include "record/temporary_directory.h"

namespace holdfast {
namespace {

namespace fs = std::filesystem;

constexpr const char* plain = R"({
 "argv": ["/env/bin/python", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
 "display_name": "Python 3", "language": "python", "interrupt_mode": "message",
 "env": {"A": "b"}, "metadata": {"debugger": true, "supported_encryption": ["curve"]}})";

Kernelspec plain_spec() { return *Kernelspec::parse(plain); }

TEST(Kernelspec, UnderWatchStartsOursAndKeepsTheRest) {
    const Kernelspec watched = plain_spec().watched("/bin/holdfast");
    const std::vector<std::string> expected{"/bin/holdfast",
                                            "run",
                                            "--kernel",
                                            "{connection_file}",
                                            "--",
                                            "/env/bin/python",
                                            "-m",
                                            "ipykernel_launcher",
                                            "-f",
                                            "{connection_file}"};
    EXPECT_EQ(watched.argv(), expected);
    const Json json = *Json::parse(watched.text());
    EXPECT_EQ(json["interrupt_mode"], "message");
    EXPECT_EQ(json["env"]["A"], "b");
    EXPECT_EQ(json["metadata"]["supported_encryption"][0], "curve");
    EXPECT_TRUE(watched.is_watched());
    EXPECT_EQ(watched.unwatched()->text(), plain_spec().text());
}

TEST(Kernelspec, AnotherProgramIsForTheWatchedOneOnly) {
    const Kernelspec watched = plain_spec().watched("/bin/holdfast", "/other/python");
    EXPECT_EQ(watched.argv()[5], "/other/python");
    EXPECT_EQ(watched.unwatched()->argv()[0], "/env/bin/python");
}

TEST(Kernelspec, AGuardIsAnOptionOfOurs) {
    const Kernelspec watched = plain_spec().watched("/bin/holdfast", "", "on");
    EXPECT_EQ(watched.argv()[4], "--guard=on");
    EXPECT_EQ(watched.argv()[5], "--");
    EXPECT_EQ(watched.unwatched()->text(), plain_spec().text());
}

TEST(Kernelspec, WhatIsNoKernelSaysWhy) {
    EXPECT_EQ(Kernelspec::parse("[]").error().text, "is not a JSON object");
    EXPECT_EQ(Kernelspec::parse("{}").error().text, "has no list \"argv\"");
    EXPECT_FALSE(Kernelspec::parse(R"({"argv": ["python", 3]})"));
    EXPECT_FALSE(plain_spec().unwatched());
}

TEST(KernelspecFolders, AreThoseOfJupyterInItsOrder) {
    JupyterEnvironment environment;
    environment.home = "/home/u";
    environment.jupyter_path = "/a:/b";
    environment.prefixes = {"/env"};
    const std::vector<std::string> expected{"/a/kernels",
                                            "/b/kernels",
                                            "/home/u/.local/share/jupyter/kernels",
                                            "/env/share/jupyter/kernels",
                                            "/usr/local/share/jupyter/kernels",
                                            "/usr/share/jupyter/kernels"};
    EXPECT_EQ(kernel_folders(environment), expected);
    environment.jupyter_data_dir = "/data";
    EXPECT_EQ(user_kernels(environment), "/data/kernels");
}

class Store : public ::testing::Test {
protected:
    std::string add(const std::string& name, const std::string& text = plain) {
        const fs::path folder = root() / name;
        fs::create_directories(folder);
        std::ofstream(folder / "kernel.json") << text;
        std::ofstream(folder / "logo.png") << "picture";
        return folder;
    }
    fs::path root() const { return fs::path(directory_.path()) / "kernels"; }
    KernelToWatch plan(const std::string& from, const std::string& name) {
        return {.spec = find_kernel({root()}, from)->spec,
                .resources = root() / from,
                .name = name,
                .display_name = {},
                .program = {},
                .guard = {},
                .into = root(),
                .holdfast = "/bin/holdfast"};
    }

    TemporaryDirectory directory_;
};

TEST_F(Store, AWatchedKernelLiesBesideThePlainOneAndGoesAgain) {
    add("python3");
    ASSERT_TRUE(watch_kernel(plan("python3", "held")));
    const auto held = find_kernel({root()}, "held");
    ASSERT_TRUE(held);
    EXPECT_EQ(held->spec.display_name(), "Python 3 + Holdfast");
    EXPECT_TRUE(fs::exists(root() / "held" / "logo.png"));
    EXPECT_EQ(find_kernels({root()}).size(), 2U);
    ASSERT_TRUE(remove_kernel(*held));
    EXPECT_FALSE(fs::exists(root() / "held"));
    EXPECT_TRUE(fs::exists(root() / "python3" / "kernel.json"));
}

TEST_F(Store, AKernelChangedInPlaceComesBackAsItWas) {
    add("python3");
    ASSERT_TRUE(watch_kernel(plan("python3", "python3")));
    const auto changed = find_kernel({root()}, "python3");
    EXPECT_TRUE(changed->spec.is_watched());
    ASSERT_TRUE(watch_kernel(plan("python3", "python3"))) << "a second time changes nothing";
    ASSERT_TRUE(remove_kernel(*find_kernel({root()}, "python3")));
    EXPECT_EQ(find_kernel({root()}, "python3")->spec.text(), plain_spec().text());
}

TEST_F(Store, SomebodyElsesKernelIsNeitherOverwrittenNorRemoved) {
    add("python3");
    add("theirs");
    EXPECT_FALSE(watch_kernel(plan("python3", "theirs")));
    EXPECT_FALSE(remove_kernel(*find_kernel({root()}, "theirs")));
    EXPECT_FALSE(watch_kernel(plan("python3", "../escape")));
    EXPECT_EQ(find_kernel({root()}, "absent").error().number, ENOENT);
}

}  // namespace
}  // namespace holdfast
