#include "jupyter/cell_names.h"

#include <map>
#include <string_view>

#include "base/format.h"
#include "base/text.h"
#include "record/mask.h"

namespace holdfast {
namespace {

constexpr std::size_t longest_line = 200;
// %%time compiles the lines below it under this name.
constexpr std::string_view timed = "<timed exec>";

struct Cell {
    std::string name;  // "cell [3]"
    std::string_view source;
    int lines_above = 0;  // lines of the cell above what its code objects call line 1
};

class CellNames {
public:
    CellNames(const CellsRead& kernel, const DecidingProcess& process) {
        if (process.pid == kernel.pid) {
            pid_ = formatted(" (pid {})", process.pid);
            const std::string_view program =
                std::string_view(process.command).substr(0, process.command.find(' '));
            program_ = program.substr(program.rfind('/') + 1);
            program_ += ' ';  // a whole word: folders are called python, too
        }
        for (const CellRecord& record : kernel.cells) {
            if (record.file.empty()) continue;
            const Cell cell{formatted("cell [{}]", record.count), record.source, 0};
            // A cell that is run again has the same file name: the last number counts.
            cells_[record.file] = cell;
            if (record.running && record.source.starts_with("%%time"))
                cells_[std::string(timed)] = {cell.name, cell.source, 1};
        }
    }

    void rename(std::string& file, std::optional<int>& line) const {
        const auto found = cells_.find(file);
        if (found == cells_.end()) return;
        file = found->second.name;
        if (line) *line += found->second.lines_above;
    }

    void rename(Where& where) const {
        const auto found = cells_.find(where.file);
        if (found == cells_.end()) return;
        rename(where.file, where.line);
        if (where.function == "<module>") where.function.clear();
        if (where.line) where.text = line_of(found->second.source, *where.line);
    }

    void rename(std::string& text) const {
        rename_kernel(text);
        for (const auto& [file, cell] : cells_) {
            std::size_t at = 0;
            while ((at = text.find(file, at)) != text.npos) {
                const std::size_t end = at + file.size();
                const bool has_line =
                    end + 1 < text.size() && text[end] == ':' && is_digit(text[end + 1]);
                const std::string name = cell.name + (has_line ? ", line " : "");
                text.replace(at, file.size() + (has_line ? 1 : 0), name);
                at += name.size();
            }
        }
    }

private:
    void rename_kernel(std::string& text) const {
        if (program_.empty()) return;
        for (std::size_t end = 0; (end = text.find(pid_, end)) != text.npos;) {
            const std::size_t start = text.rfind(program_, end);
            if (start == text.npos) return;
            const bool begins = start == 0 || text[start - 1] == '\n';
            text.replace(start, end + pid_.size() - start, begins ? "The kernel" : "the kernel");
            end = start;
        }
    }

    static bool is_digit(char c) { return c >= '0' && c <= '9'; }

    static std::string line_of(std::string_view source, int line) {
        for (int i = 1; i < line; ++i)
            if (!next_line(source)) return {};
        const auto found = next_line(source);
        return found ? mask_text(trim(found->substr(0, longest_line))) : std::string();
    }

    std::map<std::string, Cell, std::less<>> cells_;
    std::string pid_, program_;
};

void rename(const CellNames& names, Statement& statement) {
    names.rename(statement.summary);
    if (statement.where) names.rename(*statement.where);
    for (Observation& seen : statement.evidence) names.rename(seen.text);
    for (Fix& fix : statement.fixes) {
        names.rename(fix.text);
        names.rename(fix.code);
    }
}

void rename(const CellNames& names, std::vector<MemorySite>& sites) {
    for (MemorySite& site : sites) {
        std::optional<int> line = site.line;
        names.rename(site.file, line);
        site.line = *line;
    }
}

}  // namespace

void name_cells(Verdict& verdict, const CellsRead& kernel) {
    const CellNames names(kernel, verdict.process);
    rename(names, verdict.end);
    rename(names, verdict.root);
    for (Statement& statement : verdict.contributing) rename(names, statement);
    names.rename(verdict.choice);
    for (PythonStack& stack : verdict.python_stack)
        for (Frame& frame : stack.frames) names.rename(frame.file, frame.line);
    rename(names, verdict.memory.top_sites);
}

void name_cells(std::vector<MemorySite>& sites, const CellsRead& kernel) {
    rename(CellNames(kernel, {}), sites);
}

void name_cells(Evidence& evidence, const CellsRead& kernel) {
    const CellNames names(kernel, {});
    rename(names, evidence.memory.top_sites);
    for (AgentEvidence& agent : evidence.agents)
        if (agent.memory)
            for (Frame& frame : agent.memory->frames) names.rename(frame.file, frame.line);
}

}  // namespace holdfast
