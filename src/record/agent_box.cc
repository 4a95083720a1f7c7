#include "record/agent_box.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/unique_fd.h"
#include "record/box_reader.h"
#include "record/run_files.h"

namespace holdfast {
namespace {

// Reads up to `size` bytes; fewer if the file ends.
std::vector<std::byte> read_at(int fd, std::size_t offset, std::size_t size) {
    std::vector<std::byte> bytes(size);
    std::size_t have = 0;
    while (have < size) {
        const ssize_t got =
            ::pread(fd, bytes.data() + have, size - have, static_cast<off_t>(offset + have));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        have += static_cast<std::size_t>(got);
    }
    bytes.resize(have);
    return bytes;
}

std::size_t offset_of(std::uint32_t number) {
    return format::agent_slots_offset + number * format::agent_slot_space;
}

// Whom the slot belongs to: pid, generation and time.
constexpr std::size_t identity_size = offsetof(format::AgentSlot, ended);

bool never_taken(const std::vector<std::byte>& identity) {
    return std::all_of(identity.begin(), identity.end(),
                       [](std::byte b) { return b == std::byte{}; });
}

// The slot as one process left it: another may take the slot while we copy.
std::optional<AgentRecord> read_slot(int fd, std::uint32_t number) {
    for (int attempt = 0; attempt < 3; ++attempt) {
        const std::vector<std::byte> before = read_at(fd, offset_of(number), identity_size);
        if (before.size() < identity_size || never_taken(before)) return std::nullopt;
        const std::vector<std::byte> slot =
            read_at(fd, offset_of(number), sizeof(format::AgentSlot));
        if (read_at(fd, offset_of(number), identity_size) == before) return read_agent_slot(slot);
    }
    return std::nullopt;
}

}  // namespace

Result<AgentBox> AgentBox::create(const RunDirectory* directory, const BoxOrigin& origin) {
    Result<MappedFile> file = make_box(directory, run_file::agent, format::BoxKind::agent,
                                       format::agent_box_size, {}, origin);
    if (!file) return file.error();
    AgentBox box;
    box.file_ = std::move(*file);
    return box;
}

Result<AgentsRead> read_agents(int fd) {
    const Result<BoxReader> head =
        BoxReader::from_bytes(read_at(fd, 0, format::header_space), format::BoxKind::agent);
    if (!head) return head.error();
    // Checks the size: with another layout, slots would be read at wrong places.
    if (head->header().file_size != format::agent_box_size)
        return Error{"written by another version of Holdfast"};
    AgentsRead all;
    format::AgentIndex index{};
    const auto bytes = read_at(fd, format::agent_index_offset, sizeof index);
    if (bytes.size() == sizeof index) {
        std::memcpy(&index, bytes.data(), sizeof index);
        all.refused = index.refused;
    }
    for (std::uint32_t number = 0; number < format::agent_slots; ++number)
        if (std::optional<AgentRecord> agent = read_slot(fd, number))
            all.agents.push_back(std::move(*agent));
    all.truncated = read_at(fd, format::agent_box_size - 1, 1).empty();
    std::stable_sort(all.agents.begin(), all.agents.end(),
                     [](const AgentRecord& a, const AgentRecord& b) { return a.taken < b.taken; });
    return all;
}

Result<AgentsRead> read_agents(const RunDirectory& directory) {
    const Result<UniqueFd> fd = open_run_file(directory.fd(), run_file::agent);
    if (!fd) return fd.error();
    return read_agents(fd->get()).context(run_file::agent);
}

}  // namespace holdfast
