#include "check/gpu_answers.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "base/child.h"
#include "base/pipe.h"
#include "base/text.h"
#include "base/time.h"

namespace holdfast::check {
namespace {

// One table serves both directions, so that what is written can be read.
template <class Visit>
void for_each_figure(GpuFacts& gpu, Visit visit) {
    sources::GpuReading& reading = gpu.reading;
    sources::GpuHealth& health = gpu.health;
    visit("total", reading.total);
    visit("used", reading.used);
    visit("free", reading.free);
    visit("utilisation", reading.utilisation_percent);
    visit("temperature", reading.temperature_celsius);
    visit("reasons", reading.clock_event_reasons);
    visit("ecc_uncorrected", reading.uncorrected_ecc);
    visit("slowdown", health.slowdown_celsius);
    visit("capability_major", health.capability_major);
    visit("capability_minor", health.capability_minor);
    visit("persistence", health.persistence);
    visit("compute_mode", health.compute_mode);
    visit("mig", health.mig);
    visit("mig_devices", health.mig_devices);
    visit("link_width", health.link_width);
    visit("link_width_most", health.link_width_most);
    visit("replays", health.link_replays);
    visit("remap_pending", health.remap_pending);
    visit("remap_failed", health.remap_failed);
    visit("remapped_uncorrected", health.remapped_uncorrected);
    visit("pages_pending", health.pages_pending);
    visit("recovery", health.recovery_action);
    visit("fabric_state", health.fabric_state);
    visit("fabric_status", health.fabric_status);
}

void put(std::string& line, std::string_view key, const std::string& value) {
    line += ' ';
    line += key;
    line += '=';
    line += value;
}

std::string number_text(const Bytes& amount) { return std::to_string(amount.count); }
template <class T>
std::string number_text(const T& value) {
    return std::to_string(value);
}

void set(std::optional<Bytes>& into, std::string_view text) {
    if (const auto number = parse_number<std::uint64_t>(text)) into = Bytes{*number};
}
template <class T>
void set(std::optional<T>& into, std::string_view text) {
    if (const auto number = parse_number<T>(text)) into = *number;
}

GpuPicture picture_from(sources::GpuReader& reader) {
    GpuPicture picture;
    picture.driver = reader.driver_version();
    const auto healths = reader.read_health();
    for (sources::GpuReading& reading : reader.read()) {
        GpuFacts gpu{std::move(reading), {}};
        if (const auto at = static_cast<std::size_t>(gpu.reading.index); at < healths.size())
            gpu.health = healths[at];
        picture.gpus.push_back(std::move(gpu));
    }
    return picture;
}

std::string answer(const char* library) {
    const auto reader = sources::make_gpu_reader(library);
    if (const std::string why = reader->absent_because(); !why.empty()) return "absent " + why;
    std::string text;
    for (const std::string& line : gpu_lines(picture_from(*reader))) text += line + '\n';
    return text;
}

}  // namespace

GpuAnswers ask_gpus(const char* library, int milliseconds) {
    auto pipe = Pipe::make();
    if (!pipe) return {{}, pipe.error().text};
    UniqueFd in = std::move(pipe->reader);
    UniqueFd out = std::move(pipe->writer);
    const pid_t parent = ::getpid();
    auto child = Child::start([&] {
        end_with_parent(parent);
        write_all(out.get(), answer(library));
        return 0;
    });
    out.reset();
    if (!child) return {{}, child.error().text};
    const Nanos until = monotonic_now() + std::chrono::milliseconds(milliseconds);
    std::string text;
    bool whole = false;
    while (!whole && text.size() < (1U << 20U)) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - monotonic_now()).count();
        pollfd waits{in.get(), POLLIN, 0};
        if (left <= 0 || ::poll(&waits, 1, static_cast<int>(left)) <= 0) break;
        char piece[4096];
        const ssize_t got = ::read(in.get(), piece, sizeof piece);
        if (got <= 0)
            whole = true;
        else
            text.append(piece, static_cast<std::size_t>(got));
    }
    child->send(SIGKILL);
    // Wait only for a while: a process that is stuck in the driver cannot even be killed.
    for (int tries = 0; tries < 50 && !child->wait_if_ended(); ++tries) ::poll(nullptr, 0, 1);
    if (!whole) return {{}, "the NVIDIA driver did not answer within its time"};
    if (text.starts_with("absent ")) return {{}, text.substr(7)};
    if (text.empty()) return {{}, "the NVIDIA library ended without an answer"};
    GpuAnswers answers;
    for (std::string_view rest = text; const auto line = next_line(rest);)
        answers.lines.emplace_back(*line);
    return answers;
}

std::vector<std::string> gpu_lines(const GpuPicture& picture) {
    std::vector<std::string> lines;
    if (!picture.driver.empty()) lines.push_back("driver " + picture.driver);
    for (GpuFacts gpu : picture.gpus) {
        std::string line = std::to_string(gpu.reading.index);
        for_each_figure(gpu, [&](std::string_view key, const auto& value) {
            if (value) put(line, key, number_text(*value));
        });
        if (gpu.reading.lost) line += " lost=1";
        std::size_t others = 0;
        for (const sources::GpuProcess& process : gpu.reading.processes)
            if (++others <= 32)
                put(line, "process", process.used ? number_text(*process.used) : "?");
        line += " name=" + printable(gpu.reading.name);  // last, because it contains blanks
        lines.push_back(std::move(line));
    }
    return lines;
}

GpuPicture parse_gpu_lines(const std::vector<std::string>& lines) {
    GpuPicture picture;
    for (const std::string& line : lines) {
        std::string_view rest = line;
        if (rest.starts_with("driver ")) {
            picture.driver = std::string(rest.substr(7));
            continue;
        }
        const auto index = next_word(rest);
        const auto number = index ? parse_number<int>(*index) : std::nullopt;
        if (!number || *number < 0 || picture.gpus.size() >= 64) continue;
        GpuFacts gpu;
        gpu.reading.index = *number;
        while (const auto word = next_word(rest)) {
            const std::size_t equals = word->find('=');
            if (equals == std::string_view::npos) continue;
            const std::string_view key = word->substr(0, equals);
            const std::string_view value = word->substr(equals + 1);
            if (key == "name") {
                // The name is the rest of the line, with its blanks.
                gpu.reading.name = std::string(value) + std::string(rest);
                break;
            }
            if (key == "lost") gpu.reading.lost = value == "1";
            if (key == "process") {
                sources::GpuProcess process;
                set(process.used, value);
                gpu.reading.processes.push_back(process);
            }
            for_each_figure(gpu, [&](std::string_view known, auto& into) {
                if (known == key) set(into, value);
            });
        }
        picture.gpus.push_back(std::move(gpu));
    }
    return picture;
}

}  // namespace holdfast::check
