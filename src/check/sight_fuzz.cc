// A machine in which every file, link and answer consists of the same bytes: so they reach every
// parser behind the checks. Nothing may crash, and the findings must be readable.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "check/gather.h"
#include "check/loader_cache.h"
#include "check/rule.h"

namespace holdfast::check {
namespace {

// Has a name for each list that the checks ask for.
constexpr std::array names{"mc0",
                           "thermal_zone0",
                           "hwmon0",
                           "temp1_crit_alarm",
                           "sda1",
                           "md0",
                           "nvidia0",
                           "0000:17:00.0",
                           "python3.11",
                           "torch-2.1.0.dist-info",
                           "tensorflow-2.15.0.dist-info",
                           "jax-0.4.0.dist-info",
                           "jax_cuda12_plugin-0.4.0.dist-info",
                           "numpy-1.26.0.dist-info",
                           "pandas-2.1.0.dist-info",
                           "protobuf-4.0.0.dist-info",
                           "opencv_python-4.9.0.dist-info",
                           "numpy.libs",
                           "libgomp-24e2ab19.so.1.0.0",
                           "libiomp5.so",
                           "libomp.so",
                           "libmkl_core.so.2",
                           "_multiarray_umath.cpython-311-x86_64-linux-gnu.so",
                           "codec.so",
                           "random.py",
                           "torch_4711_1",
                           "kernel"};

class OneAnswer final : public Sight {
public:
    explicit OneAnswer(std::string_view bytes) : bytes_(bytes) {}

    Result<std::string> read(const std::string&, std::size_t limit) override {
        return std::string(bytes_.substr(0, limit));
    }
    std::optional<std::vector<std::string>> list(const std::string&, Wanted wanted) override {
        std::vector<std::string> found;
        for (const char* name : names)
            if (wanted(name)) found.emplace_back(name);
        for (std::string_view rest = bytes_; const auto line = next_line(rest);)
            if (found.size() < 40 && wanted(*line)) found.emplace_back(*line);
        return found;
    }
    std::optional<std::string> link(const std::string&) override {
        return bytes_.size() % 2 == 0 ? std::optional(first_line()) : std::nullopt;
    }
    std::optional<FileStatus> status(const std::string&) override {
        return FileStatus{FileStatus::Kind::file, Bytes{bytes_.size()}, 0};
    }
    std::optional<bool> writable(const std::string&) override { return bytes_.size() % 3 == 0; }
    std::optional<Space> space(const std::string&) override {
        return Space{first_line(), Bytes{bytes_.size() << 20U}, Bytes{bytes_.size()}, 5, 1, false};
    }
    Result<ElfFacts> elf(const std::string&) override {
        auto facts = parse_elf(bytes_);
        return facts ? std::move(facts) : elf_from_text(bytes_);
    }
    std::optional<std::vector<std::string>> missing_symbols(
        const std::string&, const std::vector<std::string>&) override {
        return std::vector<std::string>{first_line()};
    }
    std::optional<bool> defines(const std::string&, const std::string&) override { return true; }
    std::optional<std::string> gpu_code(const std::string&) override {
        const auto code = find_gpu_code(bytes_);
        return code ? code : std::optional(first_line());
    }
    std::optional<std::string> cached(const std::string& soname) override {
        const auto cache = parse_loader_cache(bytes_);
        const auto found = cache.find(soname);
        return found == cache.end() ? std::nullopt : std::optional(found->second);
    }
    std::optional<std::string> variable(const std::string&) override { return first_line(); }
    std::optional<std::uint64_t> figure(Figure) override { return bytes_.size(); }
    GpuAnswers gpus() override { return {lines(), ""}; }
    std::optional<std::vector<std::string>> hardware_log() override { return lines(); }

private:
    std::string first_line() const {
        std::string_view rest = bytes_;
        return std::string(next_line(rest).value_or(""));
    }
    std::vector<std::string> lines() const {
        std::vector<std::string> all;
        for (std::string_view rest = bytes_; const auto line = next_line(rest);)
            if (all.size() < 64) all.emplace_back(*line);
        return all;
    }

    std::string_view bytes_;
};

}  // namespace
}  // namespace holdfast::check

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast::check;
    if (size % 3 != 0) return 0;  // judging takes long: only some inputs
    OneAnswer sight({reinterpret_cast<const char*>(data), size});
    const auto report = judge(gather(sight, {}));
    if (!holdfast::check_report_from_json(holdfast::to_json(report)).ok()) std::abort();
    return 0;
}
