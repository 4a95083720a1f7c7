#include "fit/capture/capture.h"

#include <algorithm>
#include <optional>

#include "base/json.h"
#include "base/read_file.h"
#include "fit/capture/capture_format.h"

namespace holdfast::fit {
namespace {

constexpr std::size_t most_values = 64;                // of one event
constexpr std::int64_t most = std::int64_t{1} << 50U;  // of anything: a petabyte
constexpr std::size_t most_header = std::size_t{16} << 20U;

class Bytes8 {
public:
    explicit Bytes8(std::string_view bytes) : rest_(bytes) {}
    bool empty() const { return rest_.empty(); }

    std::optional<std::uint8_t> byte() {
        if (rest_.empty()) return std::nullopt;
        const auto value = static_cast<std::uint8_t>(rest_.front());
        rest_.remove_prefix(1);
        return value;
    }
    std::optional<std::uint64_t> number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 63; shift += 7) {
            const auto next = byte();
            if (!next) return std::nullopt;
            value |= static_cast<std::uint64_t>(*next & 0x7FU) << shift;
            if ((*next & 0x80U) == 0) return value;
        }
        return std::nullopt;
    }
    std::optional<std::int64_t> signed_number() {
        const auto raw = number();
        if (!raw) return std::nullopt;
        const auto half = static_cast<std::int64_t>(*raw >> 1U);
        return (*raw & 1U) != 0 ? -half - 1 : half;
    }
    std::optional<std::string_view> take(std::uint64_t length) {
        if (length > rest_.size()) return std::nullopt;
        const auto piece = rest_.substr(0, static_cast<std::size_t>(length));
        rest_.remove_prefix(static_cast<std::size_t>(length));
        return piece;
    }

private:
    std::string_view rest_;
};

Error damaged(std::string_view what) {
    return Error{"not a usable capture: " + std::string(what) + "; capture it again"};
}

std::string text_of(const Json& node) { return node.is_string() ? *node.text() : ""; }

std::uint64_t count_of(const Json& object, const char* key) {
    return object[key].natural().value_or(0);
}

std::vector<std::string> texts_of(const Json& object, const char* key) {
    std::vector<std::string> list;
    for (const Json& item : object[key].items()) list.push_back(text_of(item));
    return list;
}

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50U;
constexpr std::uint64_t most_workers = 1U << 16U;

std::optional<HostFacts> host_of(const Json& header) {
    const Json& facts = header["host"];
    if (!facts.is_object()) return std::nullopt;
    const auto bytes = [](std::uint64_t count) { return Bytes{std::min(count, most_bytes)}; };
    HostFacts host;
    host.arrays = bytes(count_of(facts, "arrays_bytes"));
    host.objects = bytes(count_of(facts, "objects_bytes"));
    host.workers = std::min(count_of(facts, "workers"), most_workers);
    host.prefetch = std::min(count_of(facts, "prefetch"), most_workers);
    host.pinned = facts["pinned"].truth().value_or(false);
    for (const Json& size : facts["batch_tensors_bytes"].items())
        if (const auto count = size.natural()) host.batch_tensors.push_back(bytes(*count));
    return host;
}

Status read_header(std::string_view text, Capture& capture) {
    const auto parsed = Json::parse(text);
    if (!parsed || !parsed->is_object()) return damaged("its header is not JSON");
    const Json& header = *parsed;
    capture.torch = text_of(header["torch"]);
    capture.batch = count_of(header, "batch");
    capture.sm = static_cast<std::uint32_t>(count_of(header, "sm"));
    capture.marks = texts_of(header, "marks");
    capture.missing = texts_of(header, "missing");
    if (capture.batch > (std::uint64_t{1} << 40U)) return damaged("its batch size");
    if (const auto estimate = header["estimate"].number())
        capture.estimate = std::clamp(*estimate, 0.0, 1.0);
    capture.host = host_of(header);
    const Json& sites = header["sites"];
    if (!sites.is_list()) return damaged("it has no list of sites");
    for (const Json& site : sites.items()) {
        if (!site.is_list() || site.size() != 3) return damaged("a site");
        Site& made = capture.sites.emplace_back();
        made.module = text_of(site[0]);
        made.file = text_of(site[1]);
        made.line = static_cast<std::uint32_t>(site[2].natural().value_or(0));
    }
    return Done{};
}

// Reads the events. Tracks which storages are alive: one that was freed twice would corrupt the
// replay.
class EventReader {
public:
    EventReader(Bytes8 bytes, Capture& capture) : bytes_(bytes), capture_(capture) {}

    Status all() {
        while (!bytes_.empty()) {
            const auto read = one();
            if (!read) return read;
        }
        capture_.births = static_cast<std::uint32_t>(alive_.size());
        return Done{};
    }

private:
    Status one() {
        CaptureEvent event;
        const auto kind = bytes_.byte();
        event.kind = static_cast<CaptureEventKind>(kind.value_or(0));
        event.first = static_cast<std::uint32_t>(capture_.values.size());
        switch (event.kind) {
        case CaptureEventKind::alloc: {
            const auto site = bytes_.number();
            const auto role = bytes_.byte();
            const auto size = bytes_.number();
            if (!size || *size > static_cast<std::uint64_t>(most)) return damaged("a size");
            if (!born(event, site, role)) return damaged("a birth");
            capture_.values.push_back(static_cast<std::int64_t>(*size));
            event.count = 1;
            break;
        }
        case CaptureEventKind::free: {
            const auto back = bytes_.number();
            if (!back || *back == 0 || *back > alive_.size()) return damaged("a death");
            event.subject = static_cast<std::uint32_t>(alive_.size() - *back);
            if (!alive_[event.subject]) return damaged("a storage that dies twice");
            alive_[event.subject] = false;
            break;
        }
        case CaptureEventKind::mark: {
            const auto label = bytes_.number();
            if (!label || *label >= capture_.marks.size()) return damaged("a mark");
            event.subject = static_cast<std::uint32_t>(*label);
            break;
        }
        case CaptureEventKind::scratch:
        case CaptureEventKind::alloc_by_fact: {
            const auto site = bytes_.number();
            if (!site || *site >= capture_.sites.size()) return damaged("a site");
            event.site = static_cast<std::uint32_t>(*site);
            if (event.kind == CaptureEventKind::alloc_by_fact && !born(event, site, bytes_.byte()))
                return damaged("a birth");
            if (!facts(event)) return damaged("a library call");
            break;
        }
        default: return damaged("an event of an unknown kind");
        }
        capture_.events.push_back(event);
        return Done{};
    }

    bool born(CaptureEvent& event, std::optional<std::uint64_t> site,
              std::optional<std::uint8_t> role) {
        if (!site || *site >= capture_.sites.size() || !role || *role >= role_count) return false;
        event.site = static_cast<std::uint32_t>(*site);
        event.role = static_cast<StorageRole>(*role);
        event.subject = static_cast<std::uint32_t>(alive_.size());
        alive_.push_back(true);
        return true;
    }

    bool facts(CaptureEvent& event) {
        const auto fact = bytes_.byte();
        const auto count = bytes_.number();
        if (!fact || !count || *count > most_values) return false;
        event.fact = static_cast<Fact>(*fact);
        event.count = static_cast<std::uint32_t>(*count);
        for (std::uint64_t i = 0; i < *count; ++i) {
            const auto value = bytes_.signed_number();
            if (!value || *value > most || *value < -most) return false;
            capture_.values.push_back(*value);
        }
        return true;
    }

    Bytes8 bytes_;
    Capture& capture_;
    std::vector<bool> alive_;
};

std::uint32_t little_endian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = bytes.size(); i > 0; --i)
        value = value << 8U | static_cast<std::uint8_t>(bytes[i - 1]);
    return value;
}

}  // namespace

Result<Capture> parse_capture(std::string_view bytes) {
    constexpr std::size_t prologue = 12;
    if (bytes.size() < prologue || !bytes.starts_with(capture_magic))
        return damaged("it does not begin as one");
    if (little_endian(bytes.substr(6, 2)) != capture_version)
        return damaged("it was written by another version of holdfast");
    const std::string_view body = bytes.substr(prologue);
    if (little_endian(bytes.substr(8, 4)) != crc32(body)) return damaged("its checksum is wrong");
    Bytes8 reader(body);
    const auto length = reader.number();
    if (!length || *length > most_header) return damaged("its header");
    const auto header = reader.take(*length);
    if (!header) return damaged("its header is cut off");
    Capture capture;
    if (const auto read = read_header(*header, capture); !read) return read.error();
    if (const auto read = EventReader(reader, capture).all(); !read) return read.error();
    return capture;
}

Result<Capture> read_capture(const std::string& path) {
    const auto bytes = read_file(path, capture_limit);
    if (!bytes) return bytes.error();
    return parse_capture(*bytes).context(path);
}

}  // namespace holdfast::fit
