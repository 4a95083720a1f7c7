#include "jupyter/kernelspec.h"

#include <algorithm>

namespace holdfast {
namespace {

constexpr const char* own_key = "holdfast";

std::string text_at(const nlohmann::ordered_json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Result<Kernelspec> Kernelspec::parse(std::string_view text) {
    constexpr int deepest = 64;
    const Json json = Json::parse(
        text, [](int depth, Json::parse_event_t, Json&) { return depth <= deepest; }, false);
    if (!json.is_object()) return Error{"is not a JSON object"};
    const auto argv = json.find("argv");
    if (argv == json.end() || !argv->is_array() || argv->empty())
        return Error{"has no list \"argv\""};
    if (!std::all_of(argv->begin(), argv->end(), [](const Json& word) { return word.is_string(); }))
        return Error{"has an \"argv\" with something else than words"};
    return Kernelspec(json);
}

std::string Kernelspec::display_name() const { return text_at(json_, "display_name"); }
std::string Kernelspec::language() const { return text_at(json_, "language"); }
std::vector<std::string> Kernelspec::argv() const { return json_["argv"]; }
void Kernelspec::set_display_name(const std::string& name) { json_["display_name"] = name; }

const nlohmann::ordered_json* Kernelspec::own() const {
    const auto metadata = json_.find("metadata");
    if (metadata == json_.end() || !metadata->is_object()) return nullptr;
    const auto found = metadata->find(own_key);
    return found != metadata->end() && found->is_object() ? &*found : nullptr;
}

bool Kernelspec::is_watched() const { return own() != nullptr; }

Kernelspec Kernelspec::watched(const std::string& holdfast, const std::string& program) const {
    Kernelspec spec(json_);
    if (!program.empty()) spec.json_["argv"][0] = program;
    Json argv = Json::array({holdfast, "run", "--kernel", "{connection_file}", "--"});
    for (const Json& word : spec.json_["argv"]) argv.push_back(word);
    spec.json_["argv"] = std::move(argv);
    if (!spec.json_["metadata"].is_object()) spec.json_["metadata"] = Json::object();
    spec.json_["metadata"][own_key] = {{"original", json_}};
    return spec;
}

std::optional<Kernelspec> Kernelspec::unwatched() const {
    const Json* ours = own();
    if (ours == nullptr) return std::nullopt;
    const auto original = ours->find("original");
    if (original == ours->end()) return std::nullopt;
    const auto spec = parse(original->dump());
    return spec ? std::optional(*spec) : std::nullopt;
}

void Kernelspec::set_in_place() { json_["metadata"][own_key]["in_place"] = true; }

bool Kernelspec::is_in_place() const {
    const Json* ours = own();
    return ours != nullptr && ours->value("in_place", false);
}

std::string Kernelspec::text() const {
    return json_.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

bool is_kernel_name(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '-' || c == '_';
           });
}

}  // namespace holdfast
