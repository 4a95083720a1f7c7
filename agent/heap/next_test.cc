// The allocator that serves while the one below is looked for: dlsym itself may allocate.
#include "agent/heap/next.cc"  // the tested names are local to it

#include <gtest/gtest.h>

namespace holdfast::agent {
namespace {

int pages_marked = 0;

// As within dlsym.
class WhileLooking {
public:
    WhileLooking() { looking = true; }
    ~WhileLooking() { looking = false; }
    WhileLooking(const WhileLooking&) = delete;
    WhileLooking& operator=(const WhileLooking&) = delete;
};

}  // namespace

void mark_page_for_good(const void*) { ++pages_marked; }

TEST(FirstAllocator, gives_a_block_of_no_bytes_an_address_and_a_page_of_its_own) {
    const WhileLooking within;
    const int before = pages_marked;
    void* first = next.malloc(0);
    void* second = next.calloc(0, 8);
    EXPECT_TRUE(from_bootstrap(first) && from_bootstrap(second));
    EXPECT_NE(first, second);
    EXPECT_EQ(pages_marked, before + 2);  // or free() would not know them
    next.free(first);
    next.free(second);
}

TEST(FirstAllocator, refuses_what_it_has_no_room_for) {
    const WhileLooking within;
    EXPECT_EQ(next.malloc(SIZE_MAX), nullptr);
    EXPECT_EQ(next.calloc(SIZE_MAX, 2), nullptr);
    EXPECT_EQ(next.malloc(1U << 20U), nullptr);
}

}  // namespace holdfast::agent
