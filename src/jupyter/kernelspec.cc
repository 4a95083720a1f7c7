#include "jupyter/kernelspec.h"

#include <algorithm>

namespace holdfast {
namespace {

constexpr const char* own_key = "holdfast";

std::string text_at(const Json& json, const char* key) {
    const std::string* text = json[key].text();
    return text != nullptr ? *text : std::string();
}

}  // namespace

Result<Kernelspec> Kernelspec::parse(std::string_view text) {
    auto json = Json::parse(text);
    if (!json || !json->is_object()) return Error{"is not a JSON object"};
    const Json::List& argv = (*json)["argv"].items();
    if (argv.empty()) return Error{"has no list \"argv\""};
    if (!std::all_of(argv.begin(), argv.end(), [](const Json& word) { return word.is_string(); }))
        return Error{"has an \"argv\" with something else than words"};
    return Kernelspec(std::move(*json));
}

std::string Kernelspec::display_name() const { return text_at(json_, "display_name"); }
std::string Kernelspec::language() const { return text_at(json_, "language"); }
std::vector<std::string> Kernelspec::argv() const {
    std::vector<std::string> words;
    for (const Json& word : json_["argv"].items()) words.push_back(*word.text());
    return words;
}
void Kernelspec::set_display_name(const std::string& name) { json_["display_name"] = name; }

const Json* Kernelspec::own() const {
    const Json* found = json_["metadata"].find(own_key);
    return found != nullptr && found->is_object() ? found : nullptr;
}

bool Kernelspec::is_watched() const { return own() != nullptr; }

Kernelspec Kernelspec::watched(const std::string& holdfast, const std::string& program,
                               const std::string& guard) const {
    Kernelspec spec(json_);
    if (!program.empty()) spec.json_["argv"][0] = program;
    Json argv = Json::list({holdfast, "run", "--kernel", "{connection_file}"});
    if (!guard.empty()) argv.push_back("--guard=" + guard);
    argv.push_back("--");
    for (const Json& word : spec.json_["argv"].items()) argv.push_back(word);
    spec.json_["argv"] = std::move(argv);
    if (!spec.json_["metadata"].is_object()) spec.json_["metadata"] = Json::object();
    spec.json_["metadata"][own_key] = Json::object({{"original", json_}});
    return spec;
}

std::optional<Kernelspec> Kernelspec::unwatched() const {
    const Json* ours = own();
    if (ours == nullptr) return std::nullopt;
    const Json* original = ours->find("original");
    if (original == nullptr) return std::nullopt;
    const auto spec = parse(original->dump());
    return spec ? std::optional(*spec) : std::nullopt;
}

void Kernelspec::set_in_place() { json_["metadata"][own_key]["in_place"] = true; }

bool Kernelspec::is_in_place() const {
    const Json* ours = own();
    return ours != nullptr && (*ours)["in_place"].truth().value_or(false);
}

std::string Kernelspec::text() const { return json_.dump(1) + '\n'; }

bool is_kernel_name(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '-' || c == '_';
           });
}

}  // namespace holdfast
