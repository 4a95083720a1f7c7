// The Jupyter kernels, one line each.
#pragma once

#include <string>
#include <vector>

#include "present/style.h"

namespace holdfast {

struct KernelRow {
    std::string name;
    std::string display_name;
    std::string folder;
    bool watched = false;
};

std::string kernels_table(const std::vector<KernelRow>& rows, const Style& style);
// {"schema": 1, "kernels": [{"name", "display_name", "folder", "watched"}]}
std::string kernels_json(const std::vector<KernelRow>& rows);

}  // namespace holdfast
