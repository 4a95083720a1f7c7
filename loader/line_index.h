// Where the lines of text files begin: one mark for so many lines, in the arena. A line is found by
// reading from its mark on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loader/arena.h"
#include "loader/data_file.h"

namespace holdfast::loader {

struct LineRules {
    bool header = false;          // the first line of each file is not a sample
    bool quotes = false;          // a line break between double quotes belongs to the line (CSV)
    bool skip_blank_ends = true;  // an empty line at the very end of a file is not a sample
};

class LineIndex {
public:
    // `share` is the most of the arena that marks may take; if it is small, they lie further apart.
    // `rows`: lines of a batch.
    static Result<LineIndex> build(Arena& arena, const std::vector<std::string>& paths,
                                   const LineRules& rules, std::uint64_t share, std::uint64_t rows);

    std::uint64_t count() const { return count_; }
    // "data.csv:12", as editors count if no line break is quoted.
    std::string name(std::uint64_t line) const;
    const std::string& first_path() const { return files_.front().path; }
    const std::string& header() const { return header_; }
    std::uint64_t scratch() const { return longest_span_ + 1; }
    std::uint64_t longest_batch() const { return longest_batch_; }
    std::uint64_t fingerprint() const;

    // Reads lines one after the other; one read gets neighbours together.
    class Cursor {
    public:
        Cursor(const LineIndex& index, Scratch& scratch, PageCache cache)
            : index_(index), scratch_(scratch), cache_(cache) {}
        // A line of `wanted`, without its line break; valid until the next call.
        Result<std::string_view> line(std::span<const std::uint64_t> wanted, std::size_t which);

    private:
        const LineIndex& index_;
        Scratch& scratch_;
        PageCache cache_;
        char* buffer_ = nullptr;
        std::uint64_t span_ = 0;  // the first mark whose lines are in the buffer
        std::uint64_t held_ = 0;  // how many marks
        std::uint64_t length_ = 0;
        std::uint64_t next_line_ = 0;  // in the span
        std::uint64_t next_at_ = 0;
    };

private:
    struct File {
        std::string path;
        DataFile file;
        std::uint64_t first = 0;
        std::uint64_t lines = 0;
        std::uint64_t mark = 0;  // its first
        std::uint64_t marks = 0;
        std::uint64_t end = 0;  // of its last line
    };

    static constexpr std::uint64_t close_ = 8;  // lines between marks that lie close

    Status scan(File& file, const LineRules& rules, std::vector<char>& buffer);
    void add_mark(File& file, std::uint64_t offset);
    void thin();
    bool full() const { return used_ >= (stride_ < close_ ? easy_ : room_); }
    // How many marks to read at once if lines follow each other.
    std::uint64_t together() const { return stride_ < close_ ? close_ / stride_ : 1; }
    std::uint64_t end_of(const File& file, std::uint64_t mark) const;
    const File& file_of(std::uint64_t line) const;

    std::vector<File> files_;
    std::string header_;
    bool has_header_ = false;
    bool quotes_ = false;
    std::uint64_t* marks_ = nullptr;
    std::uint64_t room_ = 0;  // marks that fit
    std::uint64_t easy_ = 0;  // of these, how many if every line has its own
    std::uint64_t used_ = 0;
    std::uint64_t stride_ = 1;
    std::uint64_t count_ = 0;
    std::uint64_t longest_span_ = 0;
    std::uint64_t longest_batch_ = 0;
    class LongestFew* longest_ = nullptr;
};

// The end of the line that begins at `from`: the place of its line break, or npos. `in_quotes` is
// kept between calls.
std::size_t line_end(std::string_view text, std::size_t from, bool quotes, bool& in_quotes);

}  // namespace holdfast::loader
