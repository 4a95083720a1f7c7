// A run directory may come from anybody: whatever its boxes hold, gathering must end with plain
// values.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/unique_fd.h"
#include "evidence/gather.h"

namespace {

using namespace holdfast;

class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    template <class T>
    T take() {
        T value{};
        const std::size_t n = std::min(sizeof value, size_);
        if (n > 0) std::memcpy(&value, data_, n);
        data_ += n;
        size_ -= n;
        return value;
    }
    bool empty() const { return size_ == 0; }
    std::string_view rest() const { return {reinterpret_cast<const char*>(data_), size_}; }

private:
    const std::uint8_t* data_;
    std::size_t size_;
};

// The bytes as a box: most fail at its checksum.
void as_box(const std::uint8_t* data, std::size_t size) {
    const UniqueFd fd(::memfd_create("box", MFD_CLOEXEC));
    if (!fd || ::pwrite(fd.get(), data, size, 0) != static_cast<ssize_t>(size)) return;
    auto record = read_run(RunFacts{}, BoxFds{fd.get(), fd.get(), fd.get()});
    if (!record) return;
    record->live = false;
    gather(*record, {});
}

// The bytes as records whose checksums a forger made right.
void as_records(Input input) {
    RunRecord record;
    record.facts.emplace();
    record.facts->started = Nanos(input.take<std::int64_t>());
    record.facts->started_wall = Nanos(input.take<std::int64_t>());
    record.facts->scheduler.ends_at_wall_seconds = input.take<std::int64_t>();
    record.facts->output.kind = OutputCapture::Kind::relay;
    record.machine_header.emplace();
    for (int i = 0; i < 64 && !input.empty(); ++i) {
        switch (input.take<std::uint8_t>() % 9) {
        case 0: record.samples.push_back(input.take<format::Sample>()); break;
        case 1: record.history.push_back(input.take<format::Sample>()); break;
        case 2: record.processes.push_back(input.take<format::Process>()); break;
        case 3: {
            const auto slot = input.take<std::uint8_t>();
            record.cgroups.push_back({slot, input.take<format::Cgroup>()});
            break;
        }
        case 4: record.events.push_back(input.take<format::Event>()); break;
        case 5: record.disks.push_back(input.take<format::Disk>()); break;
        case 6: record.neighbours.push_back(input.take<format::Neighbour>()); break;
        case 7: record.gpus.push_back(input.take<format::Gpu>()); break;
        case 8: record.end = input.take<format::End>(); break;
        }
    }
    record.output.emplace();
    record.output->text = input.rest();
    gather(record, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    as_box(data, size);
    as_records(Input(data, size));
    return 0;
}
