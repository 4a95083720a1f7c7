// Whose threads a picture of a notebook's kernel is made of.
#include "supervise/stall_picture.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

const std::string site = "/v/lib/python3.12/site-packages/";
const StallFrame bootstrap{"/usr/lib/python3.12/threading.py", "_bootstrap", 1030};
const StallFrame bootstrap_inner{"/usr/lib/python3.12/threading.py", "_bootstrap_inner", 1073};
const StallFrame select_{"/usr/lib/python3.12/selectors.py", "select", 468};

StallThread thread(std::string name, std::vector<StallFrame> innermost_first) {
    StallThread made;
    made.name = std::move(name);
    made.frames = std::move(innermost_first);
    if (!made.frames.empty()) {
        made.frames.push_back(bootstrap_inner);
        made.frames.push_back(bootstrap);
    }
    return made;
}

TEST(StallPicture, threads_that_serve_a_kernel_are_known_by_where_they_begin) {
    EXPECT_TRUE(serves_a_kernel(thread("ZMQbg/IO/0", {})));
    EXPECT_TRUE(serves_a_kernel(
        thread("IOPub", {select_, {site + "ipykernel/iostream.py", "_thread_main", 118}})));
    EXPECT_TRUE(
        serves_a_kernel(thread("Control", {select_, {site + "ipykernel/thread.py", "run", 30}})));
    EXPECT_TRUE(
        serves_a_kernel(thread("Thread-4", {{site + "IPython/core/history.py", "run", 1075}})));
}

TEST(StallPicture, the_programs_own_threads_are_none_of_them_though_they_print) {
    const StallFrame closure{site + "ipykernel/ipkernel.py", "run_closure", 766};
    const StallFrame own{"/tmp/ipykernel_1/2.py", "work", 3};
    const StallFrame prints{site + "ipykernel/iostream.py", "write", 650};
    EXPECT_FALSE(serves_a_kernel(thread("Thread-9", {prints, own, own, own, closure})));
    EXPECT_FALSE(serves_a_kernel(thread("Thread-9", {own, closure})));
    EXPECT_FALSE(serves_a_kernel(thread("python3", {})));
}

TEST(StallPicture, a_subshell_runs_cells_that_may_release_a_lock) {
    EXPECT_FALSE(serves_a_kernel(
        thread("subshell-1", {select_, {site + "ipykernel/thread.py", "run", 30}})));
}

}  // namespace
}  // namespace holdfast
