// The page that tells the guards inside the processes how much memory is left, and where to read
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/mapped_file.h"
#include "base/result.h"
#include "base/time.h"
#include "record/guard_format.h"
#include "record/run_directory.h"
#include "supervise/cgroup_watch.h"

namespace holdfast {

struct GuardOptions {
    format::GuardMode mode = format::GuardMode::warn;
    std::optional<Bytes> reserve;  // nothing: depends on the size of the limit
    // How long a program that is stuck after a refusal is left alone; nothing: for ever.
    std::optional<Nanos> grace = std::chrono::seconds(30);
};

// The first crossing of a run, as one of the program's processes wrote it. Checked, but not
// trusted.
struct GuardCrossing {
    format::GuardEventKind kind{};
    int pid = 0;
    Bytes asked, room, limit;
    std::string place;
};

class HeadroomPage {
public:
    static Result<HeadroomPage> create(const RunDirectory& directory, const GuardOptions& options);

    // Says that we are alive, where the cgroups are, and how much room there was just now.
    void publish(Nanos now, const std::vector<CgroupAddress>& cgroups,
                 std::optional<Bytes> machine);
    // Whether this process can be called at the brink, and somebody would get an error there.
    bool listens(int pid);
    // Frees the places of processes that have ended. forget_answers(): processes that said that
    // nobody would get an error may be called again.
    void forget_listeners(const std::function<bool(int)>& alive);
    void forget_answers();
    // When some process was last refused memory, or had an error raised.
    std::optional<Nanos> last_refusal();
    // The first crossing, returned once.
    std::optional<GuardCrossing> take_first_event();

    // Wakes those who asked for it when little memory is left, once each time.
    void tell_of_brink(const std::vector<CgroupAddress>& cgroups);

private:
    explicit HeadroomPage(MappedFile file) : file_(std::move(file)) {}
    format::GuardPage& page() {
        return *reinterpret_cast<format::GuardPage*>(file_.bytes().data());
    }

    MappedFile file_;
    std::size_t places_ = 0;
    bool told_ = false;
    bool at_brink_ = false;
};

}  // namespace holdfast
