// For tests: a fixture tree as the machine's root, and a temporary directory.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/unique_fd.h"
#include "sources/roots.h"

namespace holdfast::sources {

inline Roots fixture(const std::string& name) {
    auto roots = Roots::open(HOLDFAST_FIXTURES "/" + name);
    EXPECT_TRUE(roots.ok()) << roots.error().text;
    return std::move(*roots);
}

inline Roots machine() {
    auto roots = Roots::open();
    EXPECT_TRUE(roots.ok()) << roots.error().text;
    return std::move(*roots);
}

inline UniqueFd process_in(const Roots& roots, int pid) {
    return UniqueFd(
        ::openat(roots.proc(), std::to_string(pid).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

class TemporaryTree {
public:
    TemporaryTree() {
        std::string pattern = (std::filesystem::temp_directory_path() / "sources-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data()) != nullptr ? pattern : "";
        EXPECT_FALSE(path_.empty());
    }
    ~TemporaryTree() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryTree(const TemporaryTree&) = delete;
    TemporaryTree& operator=(const TemporaryTree&) = delete;

    void put(const std::string& name, std::string_view text) const {
        const std::filesystem::path file = std::filesystem::path(path_) / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace holdfast::sources
