#include "loader/line_index.h"

#include <algorithm>
#include <cstring>

#include "base/format.h"
#include "loader/ragged.h"

namespace holdfast::loader {

std::size_t line_end(std::string_view text, std::size_t from, bool quotes, bool& in_quotes) {
    if (!quotes) return text.find('\n', from);
    std::size_t at = from;
    while (at < text.size()) {
        if (in_quotes) {
            const std::size_t quote = text.find('"', at);
            if (quote == std::string_view::npos) return quote;
            in_quotes = false;
            at = quote + 1;
            continue;
        }
        const std::size_t end = text.find('\n', at);
        const std::size_t stop = std::min(end, text.size());
        const std::size_t quote = text.substr(0, stop).find('"', at);
        if (quote == std::string_view::npos) return end;
        in_quotes = true;
        at = quote + 1;
    }
    return std::string_view::npos;
}

Result<LineIndex> LineIndex::build(Arena& arena, const std::vector<std::string>& paths,
                                   const LineRules& rules, std::uint64_t share,
                                   std::uint64_t rows) {
    LineIndex index;
    const std::span<std::byte> room = arena.reserve(std::min(share, arena.left().count / 2));
    index.marks_ = reinterpret_cast<std::uint64_t*>(room.data());
    index.room_ = room.size() / sizeof(std::uint64_t);
    index.easy_ = index.room_ / 4;
    index.has_header_ = rules.header;
    index.quotes_ = rules.quotes;
    if (index.room_ < 4 * paths.size() + 4)
        return Error{"the budget has no room for the list of lines"};
    LongestFew longest(rows);
    index.longest_ = &longest;
    std::vector<char> buffer(256U << 10U);
    for (const std::string& path : paths) {
        auto file = DataFile::open(path);
        if (!file) return file.error();
        index.files_.push_back({path, std::move(*file), index.count_, 0, index.used_, 0, 0});
        if (auto done = index.scan(index.files_.back(), rules, buffer); !done) return done.error();
        index.count_ += index.files_.back().lines;
    }
    index.longest_ = nullptr;
    index.longest_batch_ = longest.sum();
    arena.shrink_last(room, index.used_ * sizeof(std::uint64_t));
    for (const File& file : index.files_)
        for (std::uint64_t m = 0; m < file.marks; ++m)
            index.longest_span_ =
                std::max(index.longest_span_,
                         index.end_of(file, m + index.together()) - index.marks_[file.mark + m]);
    if (index.count_ == 0) return Error{paths.front() + ": no lines"};
    return index;
}

Status LineIndex::scan(File& file, const LineRules& rules, std::vector<char>& buffer) {
    std::uint64_t begin = 0;  // of the line
    std::uint64_t at = 0;
    bool in_quotes = false;
    bool head = rules.header;
    std::string first_line;
    const auto line = [&](std::uint64_t end) {
        if (head) {
            head = false;
        } else {
            if (file.lines % stride_ == 0) add_mark(file, begin);
            longest_->add(end - begin);
            ++file.lines;
            file.end = end;
        }
        begin = end + 1;
    };
    while (at < file.file.size()) {
        const auto got = file.file.read_some(at, std::as_writable_bytes(std::span(buffer)));
        if (!got) return got.error();
        if (*got == 0) break;
        const std::string_view text(buffer.data(), static_cast<std::size_t>(*got));
        std::size_t from = 0;
        while (true) {
            const std::size_t end = line_end(text, from, rules.quotes, in_quotes);
            if (head && first_line.size() < (1U << 20U))
                first_line += text.substr(from, end == std::string_view::npos ? end : end - from);
            if (end == std::string_view::npos) break;
            line(at + end);
            from = end + 1;
        }
        at += *got;
    }
    if (in_quotes)
        return Error{formatted("{}: a quotation that begins in the line at byte {} never ends",
                               file.path, begin)};
    if (begin < at) line(at);
    if (first_line.ends_with('\r')) first_line.pop_back();
    if (first_line.starts_with("\xef\xbb\xbf")) first_line.erase(0, 3);
    if (rules.header && files_.size() == 1) header_ = first_line;
    if (rules.header && first_line != header_)
        return Error{
            formatted("{}: its columns are not those of {}", file.path, files_.front().path)};
    return Done{};
}

void LineIndex::add_mark(File& file, std::uint64_t offset) {
    while (full()) thin();
    if (file.lines % stride_ != 0) return;  // marks are further apart now
    marks_[used_++] = offset;
    ++file.marks;
}

// Drops every other mark.
void LineIndex::thin() {
    std::uint64_t to = 0;
    for (File& file : files_) {
        const std::uint64_t from = file.mark;
        file.mark = to;
        for (std::uint64_t m = 0; m < file.marks; m += 2) marks_[to++] = marks_[from + m];
        file.marks = (file.marks + 1) / 2;
    }
    used_ = to;
    stride_ *= 2;
}

const LineIndex::File& LineIndex::file_of(std::uint64_t line) const {
    const auto after =
        std::upper_bound(files_.begin(), files_.end(), line,
                         [](std::uint64_t n, const File& file) { return n < file.first; });
    return *(after - 1);
}

std::string LineIndex::name(std::uint64_t line) const {
    const File& file = file_of(line);
    return formatted("{}:{}", file.path, line - file.first + 1 + (has_header_ ? 1U : 0U));
}

std::uint64_t LineIndex::fingerprint() const {
    std::uint64_t hash = text_hash(header_, count_);
    for (const File& file : files_)
        hash = text_hash(formatted("{}:{}", file.lines, file.file.size()), hash);
    return hash;
}

// Where the lines before a mark of a file end.
std::uint64_t LineIndex::end_of(const File& file, std::uint64_t mark) const {
    return mark < file.marks ? marks_[file.mark + mark] : file.end;
}

Result<std::string_view> LineIndex::Cursor::line(std::span<const std::uint64_t> wanted,
                                                 std::size_t which) {
    const std::uint64_t number = wanted[which];
    if (buffer_ == nullptr) {
        buffer_ = static_cast<char*>(scratch_.take(index_.scratch()));
        if (buffer_ == nullptr) return Error{"no room for the line"};
    }
    const File& file = index_.file_of(number);
    const std::uint64_t local = number - file.first;
    const std::uint64_t mark = local / index_.stride_;
    const std::uint64_t number_of_mark = file.mark + mark;
    if (number_of_mark < span_ || number_of_mark >= span_ + held_) {
        // Reads the marks after it, too, if they are wanted next.
        std::uint64_t marks = 1;
        for (std::size_t next = which + 1; next < wanted.size() && marks < index_.together();
             ++next) {
            if (wanted[next] != number + (next - which)) break;
            marks = (local + (next - which)) / index_.stride_ - mark + 1;
        }
        marks = std::min(marks, file.marks - mark);
        const std::uint64_t begin = index_.marks_[number_of_mark];
        length_ = index_.end_of(file, mark + marks) - begin;
        const auto read = file.file.read(
            begin, {reinterpret_cast<std::byte*>(buffer_), static_cast<std::size_t>(length_)},
            cache_);
        held_ = 0;
        if (!read) return read.error();
        span_ = number_of_mark;
        held_ = marks;
        next_line_ = next_at_ = 0;
    }
    const std::uint64_t in_span =
        (number_of_mark - span_) * index_.stride_ + local % index_.stride_;
    if (in_span < next_line_) next_line_ = next_at_ = 0;
    const std::string_view text(buffer_, static_cast<std::size_t>(length_));
    while (true) {
        bool in_quotes = false;
        if (next_at_ > text.size()) return Error{"the file changed while it was read"};
        const std::size_t end =
            std::min(line_end(text, static_cast<std::size_t>(next_at_), index_.quotes_, in_quotes),
                     text.size());
        const std::string_view found =
            text.substr(static_cast<std::size_t>(next_at_), end - next_at_);
        next_at_ = end + 1;
        if (next_line_++ == in_span)
            return found.ends_with('\r') ? found.substr(0, found.size() - 1) : found;
    }
}

}  // namespace holdfast::loader
