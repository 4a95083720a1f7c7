// The blocks of a verdict's page. Each adds itself to the page, or nothing if it is empty.
#pragma once

#include "model/verdict.h"
#include "present/page.h"

namespace holdfast {

// "━━ HOLDFAST ━━━━━━━━━━━━━━━━━━━━━━━━━━ HF101 cgroup-oom · certain ━━"
void add_banner(Page& page, Outcome outcome, const std::string& right);
void add_chain(Page& page, const Verdict& verdict);
void add_where(Page& page, const Verdict& verdict);
void add_memory(Page& page, const MemorySummary& memory);
void add_fixes(Page& page, const Verdict& verdict);
void add_evidence(Page& page, const Verdict& verdict);
void add_contributing(Page& page, std::string_view label, const std::vector<Statement>& findings);
void add_stacks(Page& page, const Verdict& verdict);
void add_missing(Page& page, const std::vector<std::string>& missing);
// Short facts or commands, faint, as many on a line as fit. Breaks an item only if it is too long
// for a line.
void add_items(Page& page, const std::vector<std::string>& items);

// "HF101 cgroup-oom · certain"
std::string cause_tag(const Statement& finding, const Style& style);
// " · " or " - "
std::string_view separator(const Style& style);

}  // namespace holdfast
