#include "record/run_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/json.h"
#include "base/text.h"

namespace holdfast {
namespace {

constexpr int schema = 1;
// Bytes of text in one field. All fields together stay below half of run_facts_limit, because every
// byte may need a backslash.
constexpr std::size_t word_limit = 256;
constexpr std::size_t path_limit = 4096;
constexpr std::size_t command_limit = 8192;
constexpr std::size_t argument_count_limit = 256;
constexpr std::string_view dots = "...";

std::string bounded(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return printable(text);
    return printable(cut(text, limit - dots.size())) + std::string(dots);
}

std::vector<std::string> cut_command(const std::vector<std::string>& command) {
    std::vector<std::string> kept;
    std::size_t left = command_limit;
    for (const std::string& argument : command) {
        if (kept.size() == argument_count_limit || left < word_limit) {
            kept.emplace_back(dots);
            break;
        }
        kept.push_back(bounded(argument, left));
        left -= std::min(left, argument.size() + 1);
    }
    return kept;
}

constexpr std::string_view capture_names[] = {"none", "relay", "file", "terminal"};

// Reads fields of an untrusted object, and remembers the first invalid one.
class Fields {
public:
    Fields(const Json& object, std::string& error) : object_(object), error_(error) {}

    void text(const char* key, std::string& target, std::size_t limit) {
        const Json* value = find(key);
        if (value == nullptr) return;
        if (!value->is_string()) return fail(key, "is not a text");
        const std::string& found = *value->text();
        if (found.size() > limit) return fail(key, "is too long");
        target = printable(found);
    }
    template <class Int>
    void number(const char* key, Int& target, Int least = std::numeric_limits<Int>::min()) {
        const Json* value = find(key);
        if (value == nullptr) return;
        std::optional<Int> found;
        if (const auto natural = value->natural())
            found = narrow<Int>(*natural);
        else if (const auto integer = value->integer())
            found = narrow<Int>(*integer);
        if (!found || *found < least) return fail(key, "is not a number in range");
        target = *found;
    }
    template <class Int>
    void number(const char* key, std::optional<Int>& target) {
        if (find(key) == nullptr) return;
        Int value{};
        number(key, value);
        target = value;
    }
    void nanos(const char* key, Nanos& target) {
        std::int64_t count = target.count();
        number(key, count);
        target = Nanos(count);
    }
    void real(const char* key, double& target) {
        const Json* value = find(key);
        if (value == nullptr) return;
        const auto found = value->number();
        if (!found) return fail(key, "is not a number");
        if (!std::isfinite(*found) || *found < 0) return fail(key, "is not a number in range");
        target = *found;
    }
    void truth(const char* key, bool& target) {
        const Json* value = find(key);
        if (value == nullptr) return;
        if (!value->is_boolean()) return fail(key, "is neither true nor false");
        target = *value->truth();
    }
    void texts(const char* key, std::vector<std::string>& target, std::size_t count_limit) {
        const Json* value = find(key);
        if (value == nullptr) return;
        if (!value->is_list() || value->size() > count_limit) return fail(key, "is not a list");
        for (const Json& item : value->items()) {
            if (!item.is_string()) return fail(key, "holds something that is not a text");
            target.push_back(printable(*item.text()));
        }
    }
    const Json* object(const char* key) {
        const Json* value = find(key);
        if (value == nullptr || value->is_object()) return value;
        fail(key, "is not an object");
        return nullptr;
    }
    void require(const char* key) {
        if (object_.find(key) == nullptr) fail(key, "is missing");
    }
    void fail(const char* key, const char* what) {
        if (error_.empty()) error_ = std::string("damaged: '") + key + "' " + what;
    }

private:
    // Null means unknown, like an absent member.
    const Json* find(const char* key) const {
        const Json* found = object_.find(key);
        return found == nullptr || found->is_null() ? nullptr : found;
    }
    template <class Int, class From>
    static std::optional<Int> narrow(From value) {
        if (!std::in_range<Int>(value)) return std::nullopt;
        return static_cast<Int>(value);
    }

    const Json& object_;
    std::string& error_;
};

void read_scheduler(const Json& object, SchedulerFacts& scheduler, std::string& error) {
    Fields fields(object, error);
    fields.text("kind", scheduler.kind, word_limit);
    fields.text("job_id", scheduler.job_id, word_limit);
    fields.number("ends_at_wall_seconds", scheduler.ends_at_wall_seconds);
}

void read_output(const Json& object, OutputCapture& output, std::string& error) {
    Fields fields(object, error);
    std::string kind = "none";
    fields.text("kind", kind, word_limit);
    const auto* found = std::find(std::begin(capture_names), std::end(capture_names), kind);
    if (found == std::end(capture_names)) return fields.fail("kind", "is not a known word");
    output.kind = static_cast<OutputCapture::Kind>(found - std::begin(capture_names));
    fields.text("path", output.path, path_limit);
    fields.number("device", output.device);
    fields.number("inode", output.inode);
    fields.number("from_offset", output.from_offset);
}

}  // namespace

std::string to_json(const RunFacts& facts) {
    // Member by member: if memory runs out in the middle of a braced list, the code that GCC 12
    // makes of it frees twice. And this runs before the program has started.
    Json object;
    object["schema"] = schema;
    object["id"] = bounded(facts.id, word_limit);
    object["name"] = bounded(facts.name, word_limit);
    object["command"] = cut_command(facts.command);
    object["cwd"] = bounded(facts.cwd, path_limit);
    object["host"] = bounded(facts.host, word_limit);
    object["kernel"] = bounded(facts.kernel, word_limit);
    object["holdfast_version"] = bounded(facts.holdfast_version, word_limit);
    object["boot_id"] = bounded(facts.boot_id, word_limit);
    object["started_ns"] = facts.started.count();
    object["started_wall_ns"] = facts.started_wall.count();
    object["supervisor_pid"] = facts.supervisor_pid;
    object["supervisor_start_ticks"] = facts.supervisor_start_ticks;
    object["command_pid"] = facts.command_pid;
    object["command_start_ticks"] = facts.command_start_ticks;
    object["in_first_pid_namespace"] = facts.in_first_pid_namespace;
    object["cpu_count"] = facts.cpu_count;
    Json& scheduler = object["scheduler"];
    scheduler["kind"] = bounded(facts.scheduler.kind, word_limit);
    scheduler["job_id"] = bounded(facts.scheduler.job_id, word_limit);
    if (facts.scheduler.ends_at_wall_seconds)
        scheduler["ends_at_wall_seconds"] = *facts.scheduler.ends_at_wall_seconds;
    Json& output = object["output"];
    output["kind"] = capture_names[static_cast<std::size_t>(facts.output.kind)];
    output["path"] = bounded(facts.output.path, path_limit);
    output["device"] = facts.output.device;
    output["inode"] = facts.output.inode;
    output["from_offset"] = facts.output.from_offset;
    if (facts.overcommit_mode) object["overcommit_mode"] = *facts.overcommit_mode;
    if (facts.max_map_count) object["max_map_count"] = *facts.max_map_count;
    return object.dump(1) + "\n";
}

Result<RunFacts> run_facts_from_json(std::string_view text) {
    if (text.size() > run_facts_limit) return Error{"larger than any run.json", EFBIG};
    const auto parsed = Json::parse(text);
    if (!parsed || !parsed->is_object()) return Error{"damaged: not a JSON object"};

    RunFacts facts;
    std::string error;
    Fields fields(*parsed, error);
    int found_schema = 0;
    fields.number("schema", found_schema);
    if (error.empty() && found_schema > schema)
        return Error{"written by a newer Holdfast (schema " + std::to_string(found_schema) +
                     "); update holdfast"};
    if (found_schema != schema) fields.fail("schema", "is not one that is known");
    for (const char* key : {"id", "command", "boot_id", "started_ns", "started_wall_ns"})
        fields.require(key);
    fields.text("id", facts.id, word_limit);
    fields.text("name", facts.name, word_limit);
    fields.texts("command", facts.command, argument_count_limit + 1);
    fields.text("cwd", facts.cwd, path_limit);
    fields.text("host", facts.host, word_limit);
    fields.text("kernel", facts.kernel, word_limit);
    fields.text("holdfast_version", facts.holdfast_version, word_limit);
    fields.text("boot_id", facts.boot_id, word_limit);
    fields.nanos("started_ns", facts.started);
    fields.nanos("started_wall_ns", facts.started_wall);
    fields.number("supervisor_pid", facts.supervisor_pid, 0);
    fields.number("supervisor_start_ticks", facts.supervisor_start_ticks);
    fields.number("command_pid", facts.command_pid, 0);
    fields.number("command_start_ticks", facts.command_start_ticks);
    fields.truth("in_first_pid_namespace", facts.in_first_pid_namespace);
    fields.number("overcommit_mode", facts.overcommit_mode);
    fields.number("max_map_count", facts.max_map_count);
    fields.real("cpu_count", facts.cpu_count);
    if (const Json* scheduler = fields.object("scheduler"))
        read_scheduler(*scheduler, facts.scheduler, error);
    if (const Json* output = fields.object("output")) read_output(*output, facts.output, error);
    if (!error.empty()) return Error{error};
    return facts;
}

}  // namespace holdfast
