// Throws an exception that nobody catches: crash_exception KIND.
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

namespace training {

struct Tag {
    virtual ~Tag() = default;
    long something = 1;
};
struct BadBatch : Tag, std::runtime_error {
    explicit BadBatch(const char* text) : std::runtime_error(text) {}
};
struct BadShape : Tag, virtual std::exception {
    const char* what() const noexcept override { return "shape (3, 4)"; }
};
struct Silent : std::exception {
    const char* what() const noexcept override {
        // libstdc++ asks first; the crash handler must cope with what follows.
        if (asked++ == 0) return "asked once";
        while (true) pause();
    }
    mutable int asked = 0;
};
struct Broken : std::exception {
    const char* what() const noexcept override {
        if (asked++ == 0) return "asked once";
        *static_cast<volatile int*>(nullptr) = 1;
        return "";
    }
    mutable int asked = 0;
};
struct Plain {};

}  // namespace training

static void promised(const char* text) noexcept { throw std::logic_error(text); }

static void crash_now(const std::string& kind) {
    if (kind == "runtime-error") throw std::runtime_error("loss is not finite");
    if (kind == "many-bases") throw training::BadBatch("batch 17");
    if (kind == "virtual-base") throw training::BadShape();
    if (kind == "text") throw "just text";
    if (kind == "string") throw std::string("just a string");
    if (kind == "number") throw 42;
    if (kind == "plain") throw training::Plain();
    if (kind == "noexcept") promised("broken promise");
    if (kind == "rethrown") {
        std::exception_ptr kept;
        try {
            throw std::out_of_range("row 5");
        } catch (...) {
            kept = std::current_exception();
        }
        std::rethrow_exception(kept);
    }
    if (kind == "again") {
        try {
            throw std::range_error("first");
        } catch (const std::exception&) {
            throw;
        }
    }
    if (kind == "hangs") throw training::Silent();
    if (kind == "crashes") throw training::Broken();
    if (kind == "joinable") std::thread([] { pause(); }), std::abort();
    if (kind == "caught-before") {
        try {
            throw std::runtime_error("long over");
        } catch (const std::exception&) {
        }
        std::abort();
    }
}

int main(int count, char** words) {
    const std::string kind = count > 1 ? words[1] : "runtime-error";
    if (count > 2)
        std::thread(crash_now, kind).join();
    else
        crash_now(kind);
    return 0;
}
