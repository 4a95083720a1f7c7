#include "capture_files.h"

namespace holdfast::cli {

Result<CaptureFiles> CaptureFiles::open(const std::vector<std::string>& paths) {
    CaptureFiles files;
    for (const std::string& path : paths) {
        auto capture = fit::read_capture(path);
        if (!capture) return capture.error();
        files.captures_.push_back(std::move(*capture));
    }
    if (files.captures_.empty()) return Error{"no capture file named; say: --replay FILE[,FILE]"};
    return files;
}

Result<fit::Capture> CaptureFiles::capture(std::uint64_t batch, const std::string& way) {
    for (const fit::Capture& capture : captures_)
        if (capture.batch == batch && way.empty()) return capture;
    return Error{way.empty() ? "no file has this batch size" : "the files do not have it"};
}

}  // namespace holdfast::cli
