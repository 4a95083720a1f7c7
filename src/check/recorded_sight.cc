// A Sight over a root's text, and one that writes such a text while it looks.
#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "check/root_record.h"

namespace holdfast::check {
namespace {

std::string_view figure_name(Figure figure) { return figure == Figure::uid ? "uid" : "affinity"; }

std::string space_text(const Space& space) {
    std::string text =
        formatted("type={} size={} free={}", space.type, space.size.count, space.free.count);
    if (space.inodes) text += formatted(" inodes={}", *space.inodes);
    if (space.inodes_free) text += formatted(" inodes_free={}", *space.inodes_free);
    if (space.read_only) text += " read_only=1";
    return text;
}

Space parse_space(std::string_view text) {
    Space space;
    while (const auto word = next_word(text)) {
        const std::size_t equals = word->find('=');
        if (equals == std::string_view::npos) continue;
        const std::string_view key = word->substr(0, equals);
        const std::string_view value = word->substr(equals + 1);
        const auto number = parse_number<std::uint64_t>(value);
        if (key == "type") space.type = std::string(value);
        if (key == "read_only") space.read_only = value == "1";
        if (!number) continue;
        if (key == "size") space.size = Bytes{*number};
        if (key == "free") space.free = Bytes{*number};
        if (key == "inodes") space.inodes = *number;
        if (key == "inodes_free") space.inodes_free = *number;
    }
    return space;
}

std::string status_text(const FileStatus& status) {
    const char* kind = status.kind == FileStatus::Kind::file        ? "file"
                       : status.kind == FileStatus::Kind::directory ? "directory"
                       : status.kind == FileStatus::Kind::device    ? "device"
                                                                    : "other";
    return formatted("{} {} {}", kind, status.size.count, status.uid);
}

FileStatus parse_status(std::string_view text) {
    FileStatus status;
    const std::string_view kind = next_word(text).value_or("");
    if (kind == "file") status.kind = FileStatus::Kind::file;
    if (kind == "directory") status.kind = FileStatus::Kind::directory;
    if (kind == "device") status.kind = FileStatus::Kind::device;
    status.size = Bytes{parse_number<std::uint64_t>(next_word(text).value_or("")).value_or(0)};
    status.uid = parse_number<std::uint32_t>(next_word(text).value_or("")).value_or(0);
    return status;
}

class RecordedSight final : public Sight {
public:
    explicit RecordedSight(RootRecord record) : record_(std::move(record)) {
        for (const auto& [key, value] : record_.entries)
            for (const std::string_view kind :
                 {"file ", "elf ", "link ", "status ", "space ", "code "})
                if (key.starts_with(kind)) paths_.insert(key.substr(kind.size()));
    }

    Result<std::string> read(const std::string& path, std::size_t limit) override {
        const std::string* text = find("file ", path);
        if (text == nullptr) return Error{"cannot read " + path, ENOENT};
        return text->substr(0, limit);
    }
    std::optional<std::vector<std::string>> list(const std::string& path, Wanted wanted) override {
        std::set<std::string> names;
        const std::string below = path.ends_with('/') ? path : path + '/';
        bool any = find("status ", path) != nullptr;
        for (auto at = paths_.lower_bound(below); at != paths_.end() && at->starts_with(below);
             ++at) {
            any = true;
            std::string name = at->substr(below.size());
            if (const std::size_t slash = name.find('/'); slash != std::string::npos)
                name.resize(slash);
            if (!name.empty() && wanted(name)) names.insert(std::move(name));
        }
        if (!any) return std::nullopt;
        return std::vector<std::string>(names.begin(), names.end());
    }
    std::optional<std::string> link(const std::string& path) override {
        const std::string* text = find("link ", path);
        return text != nullptr ? std::optional(*text) : std::nullopt;
    }
    std::optional<FileStatus> status(const std::string& path) override {
        if (const std::string* text = find("status ", path)) return parse_status(*text);
        if (const std::string* text = find("file ", path))
            return FileStatus{FileStatus::Kind::file, Bytes{text->size()}, 0};
        if (paths_.contains(path)) return FileStatus{FileStatus::Kind::file, {}, 0};
        const auto below = paths_.lower_bound(path + '/');
        if (below != paths_.end() && below->starts_with(path + '/'))
            return FileStatus{FileStatus::Kind::directory, {}, 0};
        return std::nullopt;
    }
    std::optional<bool> writable(const std::string& path) override {
        const std::string* text = find("writable ", path);
        return text != nullptr ? std::optional(*text == "1") : std::nullopt;
    }
    std::optional<Space> space(const std::string& path) override {
        const std::string* text = find("space ", path);
        return text != nullptr ? std::optional(parse_space(*text)) : std::nullopt;
    }
    Result<ElfFacts> elf(const std::string& path) override {
        const std::string* text = find("elf ", path);
        if (text == nullptr) return Error{"cannot read " + path, ENOENT};
        return elf_from_text(*text);
    }
    std::optional<std::vector<std::string>> missing_symbols(
        const std::string& path, const std::vector<std::string>& /*libraries*/) override {
        const std::string* text = find("symbols ", path);
        if (text == nullptr) return std::nullopt;
        std::vector<std::string> names;
        for (std::string_view rest = *text; const auto name = next_word(rest);)
            names.emplace_back(*name);
        return names;
    }
    std::optional<bool> defines(const std::string& path, const std::string& symbol) override {
        const std::string* text = find("defines ", path);
        if (text == nullptr) return std::nullopt;
        return *text == symbol;
    }
    std::optional<std::string> gpu_code(const std::string& path) override {
        const std::string* text = find("code ", path);
        return text != nullptr ? std::optional(*text) : std::nullopt;
    }
    std::optional<std::string> cached(const std::string& soname) override {
        const std::string* text = find("cached ", soname);
        return text != nullptr ? std::optional(*text) : std::nullopt;
    }
    std::optional<std::string> variable(const std::string& name) override {
        const std::string* text = find("var ", name);
        return text != nullptr ? std::optional(*text) : std::nullopt;
    }
    std::optional<std::uint64_t> figure(Figure figure) override {
        const std::string* text = find("figure ", std::string(figure_name(figure)));
        return text != nullptr ? parse_number<std::uint64_t>(*text) : std::nullopt;
    }
    GpuAnswers gpus() override {
        if (!record_.gpus_asked) return {{}, "the record has no answers of an NVIDIA library"};
        return record_.gpus;
    }
    std::optional<std::vector<std::string>> hardware_log() override { return record_.log; }

private:
    const std::string* find(std::string_view kind, const std::string& path) const {
        const auto found = record_.entries.find(std::string(kind) + path);
        return found == record_.entries.end() ? nullptr : &found->second;
    }

    RootRecord record_;
    std::set<std::string> paths_;
};

}  // namespace

class RecordingSight final : public Sight {
public:
    RecordingSight(Sight& inner, RootRecord& into) : inner_(inner), into_(into) {}

    Result<std::string> read(const std::string& path, std::size_t limit) override {
        auto text = inner_.read(path, limit);
        if (text) into_.entries["file " + path] = printable(*text);
        return text;
    }
    std::optional<std::vector<std::string>> list(const std::string& path, Wanted wanted) override {
        auto names = inner_.list(path, wanted);
        // Records a name alone if nothing else about it is read.
        if (names) note("status " + path, "directory 0 0");
        for (const std::string& name : names.value_or(std::vector<std::string>()))
            note("status " + (path.ends_with('/') ? path : path + '/') + name, "other 0 0");
        return names;
    }
    std::optional<std::string> link(const std::string& path) override {
        return keep("link " + path, inner_.link(path));
    }
    std::optional<FileStatus> status(const std::string& path) override {
        const auto status = inner_.status(path);
        if (status) into_.entries["status " + path] = status_text(*status);
        return status;
    }
    std::optional<bool> writable(const std::string& path) override {
        const auto may = inner_.writable(path);
        if (may) into_.entries["writable " + path] = *may ? "1" : "0";
        return may;
    }
    std::optional<Space> space(const std::string& path) override {
        const auto space = inner_.space(path);
        if (space) into_.entries["space " + path] = space_text(*space);
        return space;
    }
    Result<ElfFacts> elf(const std::string& path) override {
        auto facts = inner_.elf(path);
        if (facts) into_.entries["elf " + path] = to_text(*facts);
        return facts;
    }
    std::optional<std::vector<std::string>> missing_symbols(
        const std::string& path, const std::vector<std::string>& libraries) override {
        auto names = inner_.missing_symbols(path, libraries);
        if (names) {
            std::string& text = into_.entries["symbols " + path];
            text.clear();
            for (const std::string& name : *names) text += (text.empty() ? "" : " ") + name;
            text = printable(text);
        }
        return names;
    }
    std::optional<bool> defines(const std::string& path, const std::string& symbol) override {
        const auto has = inner_.defines(path, symbol);
        if (has) into_.entries["defines " + path] = *has ? symbol : "";
        return has;
    }
    std::optional<std::string> gpu_code(const std::string& path) override {
        return keep("code " + path, inner_.gpu_code(path));
    }
    std::optional<std::string> cached(const std::string& soname) override {
        return keep("cached " + soname, inner_.cached(soname));
    }
    std::optional<std::string> variable(const std::string& name) override {
        return keep("var " + name, inner_.variable(name));
    }
    std::optional<std::uint64_t> figure(Figure figure) override {
        const auto number = inner_.figure(figure);
        if (number)
            into_.entries["figure " + std::string(figure_name(figure))] = std::to_string(*number);
        return number;
    }
    GpuAnswers gpus() override {
        into_.gpus = inner_.gpus();
        into_.gpus_asked = true;
        return into_.gpus;
    }
    std::optional<std::vector<std::string>> hardware_log() override {
        into_.log = inner_.hardware_log();
        return into_.log;
    }

private:
    void note(const std::string& key, const std::string& value) {
        into_.entries.emplace(key, value);
    }
    std::optional<std::string> keep(const std::string& key, std::optional<std::string> value) {
        if (value) into_.entries[key] = printable(*value);
        return value;
    }

    Sight& inner_;
    RootRecord& into_;
};

std::unique_ptr<Sight> recorded_sight(RootRecord record) {
    return std::make_unique<RecordedSight>(std::move(record));
}

std::unique_ptr<Sight> recording_sight(Sight& inner, RootRecord& into) {
    return std::make_unique<RecordingSight>(inner, into);
}

}  // namespace holdfast::check
