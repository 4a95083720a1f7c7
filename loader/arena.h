// The one piece of memory a loader has: `budget` bytes, taken at once, handed out by reservation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast::loader {

inline constexpr std::size_t cache_line = 64;

constexpr std::uint64_t rounded_up(std::uint64_t n, std::uint64_t to) {
    return (n + to - 1) / to * to;
}

class Arena {
public:
    Arena() = default;
    Arena(Arena&& other) noexcept
        : base_(std::exchange(other.base_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          used_(std::exchange(other.used_, 0)),
          owned_(std::exchange(other.owned_, false)),
          fd_(std::move(other.fd_)) {}
    Arena& operator=(Arena&& other) noexcept;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena();

    // Address space only: a page costs memory when it is first written. A forked child does not get
    // it, because copies of its pages would count twice. `shared`: worker processes map it as well,
    // by a descriptor without a name in any file system, so nothing can be left behind.
    static Result<Arena> make(Bytes budget, bool shared);

    // A part of another arena, for a loader inside a loader; the other one must outlive it.
    static Arena inside(std::span<std::byte> part);

    // The next bytes, or an empty span if the budget has no room for them.
    std::span<std::byte> reserve(std::uint64_t size, std::size_t alignment = cache_line);
    // Gives back the end of the last reservation.
    void shrink_last(std::span<std::byte> last, std::uint64_t size);

    Bytes budget() const { return {size_}; }
    Bytes used() const { return {used_}; }
    Bytes left() const { return {size_ - used_}; }
    std::byte* base() const { return base_; }
    int fd() const { return fd_.get(); }

private:
    std::byte* base_ = nullptr;
    std::uint64_t size_ = 0;
    std::uint64_t used_ = 0;
    bool owned_ = false;
    UniqueFd fd_;
};

// A worker's own piece, used from the front and emptied after each sample.
class Scratch {
public:
    Scratch() = default;
    explicit Scratch(std::span<std::byte> room) : room_(room) {}

    void* take(std::uint64_t size) {
        const std::uint64_t start = rounded_up(used_, cache_line);
        if (start > room_.size() || size > room_.size() - start) {
            missed_ = true;
            return nullptr;
        }
        used_ = start + size;
        return room_.data() + start;
    }
    void empty() {
        used_ = 0;
        missed_ = false;
    }
    // A request was larger than the room that was left.
    bool missed() const { return missed_; }
    std::uint64_t size() const { return room_.size(); }

private:
    std::span<std::byte> room_;
    std::uint64_t used_ = 0;
    bool missed_ = false;
};

}  // namespace holdfast::loader
