#include "loader/lines.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "loader/csv.h"
#include "loader/json_numbers.h"
#include "loader/ragged.h"

namespace holdfast::loader {
namespace {

class Lines : public Source {
public:
    Lines(LineIndex lines, PageCache cache) : lines_(std::move(lines)), cache_(cache) {}
    std::uint64_t count() const override { return lines_.count(); }
    std::string name(std::uint64_t sample) const override { return lines_.name(sample); }
    std::uint64_t fingerprint() const override { return lines_.fingerprint(); }

    void fill(const Part& part, Scratch& scratch, std::vector<Failure>& failures) override {
        scratch.empty();
        LineIndex::Cursor cursor(lines_, scratch, cache_);
        for (std::size_t i = 0; i < part.samples.size(); ++i) {
            const auto line = cursor.line(part.samples, i);
            const Status done = line ? put(part, part.first_row + i, *line) : Status(line.error());
            if (!done)
                failures.push_back({part.first_row + i, part.samples[i],
                                    name(part.samples[i]) + ": " + done.error().text});
        }
    }

    // The first line, to learn the form of all lines.
    Result<std::string> first_line() const {
        std::vector<std::byte> room(lines_.scratch() + cache_line);
        Scratch scratch(room);
        LineIndex::Cursor cursor(lines_, scratch, PageCache::keep);
        const std::uint64_t first[] = {0};
        const auto line = cursor.line(first, 0);
        if (!line) return line.error();
        return std::string(*line);
    }

protected:
    virtual Status put(const Part& part, std::uint64_t row, std::string_view line) const = 0;
    LineIndex lines_;
    PageCache cache_;
};

// Lines of numbers: every sample has the same fields.
class NumberLines : public Lines {
public:
    using Lines::Lines;

    RowLayout layout(std::uint64_t) const override {
        RowLayout layout;
        layout.fields = fields_;
        layout.scratch = lines_.scratch() + cache_line;
        return layout;
    }

    std::uint64_t part_size(std::uint64_t rows, unsigned workers) const override {
        std::uint64_t each = 0;
        for (const Field& field : fields_) each += field.sample_bytes;
        return part_of_bytes(rows, workers, each);
    }

protected:
    std::vector<Field> fields_;
};

enum class CellNumber { single, twice, whole };

// Where the number of a cell goes.
struct Column {
    std::size_t field = 0;
    std::size_t place = 0;  // in the field's row
    CellNumber number = CellNumber::single;
};

class CsvRows : public NumberLines {
public:
    using NumberLines::NumberLines;

    Status prepare(const Json& options) {
        if (const std::string* text = options["separator"].text();
            text != nullptr && text->size() == 1)
            separator_ = (*text)[0];
        const auto first = first_line();
        if (!first) return first.error();
        const std::vector<std::string> first_cells = csv_cells(*first, separator_);
        std::vector<std::string> names = csv_cells(lines_.header(), separator_);
        if (lines_.header().empty()) {
            names.clear();
            for (std::size_t i = 0; i < first_cells.size(); ++i)
                names.push_back(formatted("{}", i));
        }
        for (std::string& name : names) name = std::string(trim(name));
        width_ = names.size();
        if (first_cells.size() != width_)
            return Error{formatted("{}: {} cells, where the header has {}", lines_.name(0),
                                   first_cells.size(), width_)};
        const bool wide =
            options["dtype"].text() != nullptr && *options["dtype"].text() == "float64";
        const std::string* label = options["labels"].text();
        std::vector<bool> used(width_);
        if (label != nullptr) {
            const auto at = std::find(names.begin(), names.end(), *label);
            if (at == names.end()) return Error{formatted("no column is called \"{}\"", *label)};
            used[static_cast<std::size_t>(at - names.begin())] = true;
        }
        std::vector<std::size_t> chosen;
        if (options["columns"].is_list()) {
            for (const Json& item : options["columns"].items()) {
                const auto at = item.text() == nullptr
                                    ? names.end()
                                    : std::find(names.begin(), names.end(), *item.text());
                if (at == names.end())
                    return Error{formatted("no column is called {}", item.dump())};
                chosen.push_back(static_cast<std::size_t>(at - names.begin()));
            }
        } else {
            for (std::size_t i = 0; i < width_; ++i)
                if (!used[i]) chosen.push_back(i);
        }
        if (chosen.empty()) return Error{"no columns are left to read"};
        fields_.push_back(
            {"columns", wide ? "<f8" : "<f4", {chosen.size()}, chosen.size() * (wide ? 8U : 4U)});
        by_cell_.resize(width_);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const auto value = csv_number(first_cells[chosen[i]]);
            if (!value)
                return Error{
                    formatted("{}: column \"{}\" holds text (\"{}\"); name the columns to read: "
                              "columns=[...]",
                              lines_.name(0), names[chosen[i]], printable(first_cells[chosen[i]]))};
            by_cell_[chosen[i]].push_back({0, i, wide ? CellNumber::twice : CellNumber::single});
        }
        if (label != nullptr) {
            const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), *label) -
                                                     names.begin());
            const auto value = csv_number(first_cells[at]);
            if (!value)
                return Error{formatted("{}: the label \"{}\" is not a number", lines_.name(0),
                                       printable(first_cells[at]))};
            const bool whole = *value == std::floor(*value) &&
                               first_cells[at].find_first_of(".eE") == std::string::npos;
            fields_.push_back({"label", whole ? "<i8" : "<f4", {}, whole ? 8U : 4U});
            by_cell_[at].push_back({1, 0, whole ? CellNumber::whole : CellNumber::single});
        }
        names_ = std::move(names);
        return Done{};
    }

protected:
    Status put(const Part& part, std::uint64_t row, std::string_view line) const override {
        CsvLine cells(line, separator_);
        for (std::size_t at = 0; at < width_; ++at) {
            const std::vector<Column>& columns = by_cell_[at];
            std::optional<double> value;
            if (!columns.empty()) value = cells.plain_number();
            if (!value) {
                const auto cell = cells.next();
                if (!cell) return ragged(at);
                if (columns.empty()) continue;
                value = csv_number(*cell);
                if (!value)
                    return Error{formatted("column \"{}\" holds text (\"{}\"), not a number",
                                           names_[at], printable(cell->substr(0, 40)))};
            }
            for (const Column& column : columns)
                if (!write(part, row, column, *value))
                    return Error{formatted("the label {} is not a whole number as the first one is",
                                           *value)};
        }
        std::size_t more = 0;
        while (cells.next()) ++more;
        return more == 0 ? Status(Done{}) : ragged(width_ + more);
    }

private:
    Error ragged(std::size_t cells) const {
        return Error{formatted("{} cells, where the first line has {}", cells, width_)};
    }
    bool write(const Part& part, std::uint64_t row, const Column& column, double value) const {
        std::byte* to =
            part.batch + part.offsets[column.field] + row * fields_[column.field].sample_bytes;
        if (column.number == CellNumber::twice) {
            std::memcpy(to + column.place * 8, &value, 8);
        } else if (column.number == CellNumber::single) {
            const auto narrow = static_cast<float>(value);
            std::memcpy(to + column.place * 4, &narrow, 4);
        } else {
            if (!(std::abs(value) < 9.2e18) || value != std::floor(value)) return false;
            const auto whole = static_cast<std::int64_t>(value);
            std::memcpy(to + column.place * 8, &whole, 8);
        }
        return true;
    }

    char separator_ = ',';
    std::size_t width_ = 0;
    std::vector<std::string> names_;
    std::vector<std::vector<Column>> by_cell_;
};

class JsonLines : public NumberLines {
public:
    using NumberLines::NumberLines;

    Status prepare(const Json& options) {
        const auto first = first_line();
        if (!first) return first.error();
        auto seen = look_at_members(*first);
        if (!seen) return Error{lines_.name(0) + ": " + seen.error().text};
        for (const Json& item : options["columns"].items()) {
            const std::string name = item.text() == nullptr ? "" : *item.text();
            const auto at = std::find_if(seen->begin(), seen->end(),
                                         [&](const SeenMember& m) { return m.name == name; });
            if (at == seen->end()) return Error{formatted("{}: no \"{}\"", lines_.name(0), name)};
            if (!at->numbers || at->count == 0)
                return Error{formatted("{}: \"{}\" is no number and no even list of numbers",
                                       lines_.name(0), name)};
            wanted_.push_back({name, at->count, at->whole, nullptr});
            fields_.push_back(
                {name, at->whole ? "<i8" : "<f4", at->shape, at->count * (at->whole ? 8U : 4U)});
        }
        if (wanted_.empty()) return Error{"no columns were named"};
        return Done{};
    }

protected:
    Status put(const Part& part, std::uint64_t row, std::string_view line) const override {
        std::vector<WantedMember> wanted = wanted_;
        for (std::size_t i = 0; i < wanted.size(); ++i)
            wanted[i].out = part.batch + part.offsets[i] + row * fields_[i].sample_bytes;
        return read_members(line, wanted);
    }

private:
    std::vector<WantedMember> wanted_;
};

class TextLines : public Lines {
public:
    using Lines::Lines;

    RowLayout layout(std::uint64_t rows) const override {
        RowLayout layout;
        layout.ragged_bytes = rows * sizeof(Extent) + lines_.longest_batch();
        layout.scratch = lines_.scratch() + cache_line;
        return layout;
    }

    void fill(const Part& part, Scratch& scratch, std::vector<Failure>& failures) override {
        scratch.empty();
        LineIndex::Cursor cursor(lines_, scratch, cache_);
        RaggedBatch batch(part);
        for (std::size_t i = 0; i < part.samples.size(); ++i) {
            const auto line = cursor.line(part.samples, i);
            const std::span<std::byte> to = batch.add(line ? line->size() : 0);
            if (!line)
                failures.push_back({part.first_row + i, part.samples[i],
                                    name(part.samples[i]) + ": " + line.error().text});
            else if (!line->empty())
                std::memcpy(to.data(), line->data(), to.size());
        }
    }

protected:
    Status put(const Part&, std::uint64_t, std::string_view) const override { return Done{}; }
};

template <class Kind>
Result<std::unique_ptr<Source>> prepared(LineIndex lines, const Json& options, PageCache cache) {
    auto made = std::make_unique<Kind>(std::move(lines), cache);
    if (auto done = made->prepare(options); !done) return done.error();
    return std::unique_ptr<Source>(std::move(made));
}

}  // namespace

Result<std::unique_ptr<Source>> make_csv(LineIndex lines, const Json& options, PageCache cache) {
    return prepared<CsvRows>(std::move(lines), options, cache);
}

Result<std::unique_ptr<Source>> make_json_lines(LineIndex lines, const Json& options,
                                                PageCache cache) {
    return prepared<JsonLines>(std::move(lines), options, cache);
}

Result<std::unique_ptr<Source>> make_text_lines(LineIndex lines, PageCache cache) {
    return std::unique_ptr<Source>(std::make_unique<TextLines>(std::move(lines), cache));
}

}  // namespace holdfast::loader
