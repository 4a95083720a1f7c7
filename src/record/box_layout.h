// Which sections each box has, where they lie and how large the file is: fixed at compile time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "record/format.h"

namespace holdfast::layout {

enum class Shape { ring, history, table, output };

constexpr Shape shape_of(format::SectionId id) {
    using format::SectionId;
    switch (id) {
    case SectionId::samples:
    case SectionId::events: return Shape::ring;
    case SectionId::history: return Shape::history;
    case SectionId::output: return Shape::output;
    default: return Shape::table;
    }
}

constexpr std::size_t section_size(const format::Section& section) {
    const std::size_t records = section.capacity * section.record_size;
    switch (shape_of(section.id)) {
    case Shape::ring:
    case Shape::history: return sizeof(format::RingHead) + records;
    case Shape::output: return sizeof(format::OutputHead) + records;
    case Shape::table: return format::table_copies * records;
    }
    return 0;
}

inline constexpr std::size_t alignment = 64;

template <std::size_t N>
struct BoxLayout {
    std::array<format::Section, N> sections{};
    std::size_t size = 0;

    constexpr const format::Section& operator[](format::SectionId id) const {
        for (const format::Section& section : sections)
            if (section.id == id) return section;
        return sections[0];
    }
};

// Puts the sections one after another behind the header page.
template <std::size_t N>
constexpr BoxLayout<N> place(std::array<format::Section, N> sections) {
    BoxLayout<N> layout;
    std::size_t at = format::header_space;
    for (format::Section& section : sections) {
        section.offset = at;
        at += (section_size(section) + alignment - 1) / alignment * alignment;
    }
    layout.sections = sections;
    layout.size = at;
    return layout;
}

template <class T>
constexpr format::Section of(format::SectionId id, std::uint64_t capacity) {
    return {id, sizeof(T), 0, capacity};
}

inline constexpr auto machine = place(std::array{
    of<format::Sample>(format::SectionId::samples, 2048),
    of<format::Sample>(format::SectionId::history, 1024),
    of<format::Process>(format::SectionId::processes, 256),
    of<format::Cgroup>(format::SectionId::cgroups, 16),
    of<format::Event>(format::SectionId::events, 1024),
    of<format::Disk>(format::SectionId::disks, 16),
    of<format::Neighbour>(format::SectionId::neighbours, 12),
    of<format::End>(format::SectionId::end, 1),
    of<format::Stacks>(format::SectionId::stacks, 8),
    of<format::Stall>(format::SectionId::stalls, 8),
    of<format::StalledProcess>(format::SectionId::stalled, 16),
});
inline constexpr auto output =
    place(std::array{of<std::byte>(format::SectionId::output, format::output_capacity)});
inline constexpr auto gpu = place(std::array{of<format::Gpu>(format::SectionId::gpus, 16)});

}  // namespace holdfast::layout
