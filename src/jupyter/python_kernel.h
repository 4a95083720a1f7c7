// Asks an interpreter for its kernelspec, so that the kernelspec fits its version of ipykernel.
#pragma once

#include <string>

#include "base/result.h"
#include "jupyter/kernelspec.h"

namespace holdfast {

struct PythonKernel {
    Kernelspec spec;
    std::string resources;  // logos
};

// The Error says what to install.
Result<PythonKernel> kernel_of_python(const std::string& python);

}  // namespace holdfast
