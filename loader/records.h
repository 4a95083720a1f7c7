// Samples of one size, one after the other in files: .npy and raw arrays.
#pragma once

#include <memory>

#include "loader/data_file.h"
#include "loader/source.h"

namespace holdfast::loader {

// One array, which may lie in several files.
struct RecordArray {
    struct Piece {
        std::string path;
        DataFile file;
        std::uint64_t data_offset = 0;
        std::uint64_t first = 0;  // sample
        std::uint64_t count = 0;
    };
    Field field;
    std::vector<Piece> pieces;
    std::uint64_t count = 0;
};

struct RawShape {
    std::string dtype;
    std::vector<std::uint64_t> shape;  // of one sample
    std::uint64_t offset = 0;
};

// `raw`: how a file without a header is to be read.
Result<RecordArray> open_records(const std::vector<std::string>& paths, const RawShape* raw);
Result<std::unique_ptr<Source>> make_records(std::vector<RecordArray> arrays, PageCache cache);

}  // namespace holdfast::loader
