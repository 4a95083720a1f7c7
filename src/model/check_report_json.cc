#include "base/json.h"
#include "base/text.h"
#include "model/check_report.h"
#include "model/json_reader.h"

namespace holdfast {
namespace {

constexpr std::string_view severity_names[] = {"blocks", "will-hurt", "note"};

std::string text_of(const Json& json, std::string_view key) {
    const std::string* text = json[key].text();
    return text != nullptr ? *text : std::string();
}

std::optional<Severity> severity_of(std::string_view name) {
    for (std::size_t i = 0; i < std::size(severity_names); ++i)
        if (severity_names[i] == name) return static_cast<Severity>(i);
    return std::nullopt;
}

std::optional<CheckFinding> finding_from(const Json& json) {
    const auto cause = CauseId::find(text_of(json, "code"));
    const auto severity = severity_of(text_of(json, "severity"));
    if (!cause || !severity) return std::nullopt;
    CheckFinding finding{*cause, *severity, text_of(json, "check"), text_of(json, "summary"),
                         {},     {}};
    for (const Json& item : json["evidence"].items())
        finding.evidence.push_back({text_of(item, "source"), text_of(item, "text")});
    for (const Json& item : json["fixes"].items())
        finding.fixes.push_back({text_of(item, "text"), text_of(item, "code")});
    return finding;
}

}  // namespace

std::string_view name_of(Severity severity) {
    return severity_names[static_cast<std::size_t>(severity)];
}

std::string to_json(const CheckReport& report) {
    Json findings = Json::list();
    for (const CheckFinding& finding : report.findings) {
        Json evidence = Json::list();
        for (const Observation& seen : finding.evidence)
            evidence.push_back(
                Json::object({{"source", printable(seen.source)}, {"text", printable(seen.text)}}));
        Json fixes = Json::list();
        for (const Fix& fix : finding.fixes) {
            Json one = Json::object({{"text", printable(fix.text)}});
            if (!fix.code.empty()) one["code"] = printable(fix.code);
            fixes.push_back(std::move(one));
        }
        findings.push_back(Json::object({{"code", finding.cause->code},
                                         {"slug", finding.cause->slug},
                                         {"severity", name_of(finding.severity)},
                                         {"check", finding.check},
                                         {"summary", printable(finding.summary)},
                                         {"evidence", std::move(evidence)},
                                         {"fixes", std::move(fixes)}}));
    }
    Json impossible = Json::list();
    for (const ImpossibleCheck& check : report.impossible)
        impossible.push_back(Json::object({{"check", check.check}, {"why", printable(check.why)}}));
    Json frameworks = Json::list();
    for (const std::string& framework : report.python.frameworks)
        frameworks.push_back(printable(framework));
    Json json =
        Json::object({{"schema", check_schema},
                      {"python", Json::object({{"program", printable(report.python.program)},
                                               {"version", printable(report.python.version)},
                                               {"frameworks", std::move(frameworks)}})},
                      {"findings", std::move(findings)},
                      {"fine", report.fine},
                      {"impossible", std::move(impossible)}});
    if (report.milliseconds) json["milliseconds"] = *report.milliseconds;
    return json.dump(2) + '\n';
}

Result<CheckReport> check_report_from_json(std::string_view text) {
    const auto json = fields::parse_bounded(text);
    if (!json) return json.error();
    if ((*json)["schema"].natural() != check_schema) return Error{"schema: expected 1"};
    CheckReport report;
    const Json& python = (*json)["python"];
    report.python = {text_of(python, "program"), text_of(python, "version"), {}};
    for (const Json& item : python["frameworks"].items())
        if (const std::string* framework = item.text())
            report.python.frameworks.push_back(*framework);
    for (const Json& item : (*json)["findings"].items())
        if (auto finding = finding_from(item)) report.findings.push_back(std::move(*finding));
    report.fine = static_cast<int>((*json)["fine"].natural().value_or(0) & 0xffff);
    for (const Json& item : (*json)["impossible"].items())
        report.impossible.push_back({text_of(item, "check"), text_of(item, "why")});
    report.milliseconds = (*json)["milliseconds"].number();
    return report;
}

}  // namespace holdfast
