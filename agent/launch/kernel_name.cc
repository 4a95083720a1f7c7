#include "agent/launch/kernel_name.h"

namespace holdfast::agent {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads along a mangled name; never past its end.
class Mangled {
public:
    explicit Mangled(Text text) : text_(text) {}

    bool at_end() const { return at_ >= text_.size; }
    char look() const { return at_end() ? '\0' : text_.data[at_]; }
    void skip() { ++at_; }
    bool skip(char c) {
        if (look() != c) return false;
        skip();
        return true;
    }
    // <length><name>; empty where there is none.
    Text name() {
        std::size_t length = 0;
        while (is_digit(look()) && length < text_.size) {
            length = 10 * length + static_cast<std::size_t>(look() - '0');
            skip();
        }
        if (length == 0 || length > text_.size - at_) return {};
        const Text found(text_.data + at_, length);
        at_ += length;
        return found;
    }
    // A reference to an earlier part: St, S_, S0_.
    void substitution() {
        skip();
        if (look() >= 'a' && look() <= 'z') return skip();
        skip_past('_');
    }
    void skip_past(char c) {
        while (!at_end() && !skip(c)) skip();
    }

private:
    Text text_;
    std::size_t at_ = 0;
};

// The last part of a name like N2at6native4name, or of 4name alone.
Text last_part(Mangled& mangled) {
    while (mangled.skip('L')) {  // of one file only
    }
    const bool nested = mangled.skip('N');
    Text last;
    while (!mangled.at_end()) {
        if (mangled.look() == 'S') {
            mangled.substitution();
        } else if (is_digit(mangled.look())) {
            const Text part = mangled.name();
            if (part.empty()) return {};
            last = part;
        } else if (nested && (mangled.look() == 'L' || mangled.look() == 'K')) {
            mangled.skip();  // of one file only; const
        } else {
            break;
        }
        if (!nested) break;
    }
    return last;
}

// The function around the first lambda: it follows one Z for each enclosing scope.
Text around_lambda(Mangled& mangled) {
    while (!mangled.at_end()) {
        if (is_digit(mangled.look())) {
            mangled.name();
        } else if (mangled.look() == 'S') {
            mangled.substitution();
        } else if (mangled.skip('T')) {  // the template's own: T_, T0_
            mangled.skip_past('_');
        } else if (mangled.skip('L')) {  // a number: Li128E
            mangled.skip_past('E');
        } else if (mangled.skip('Z')) {
            while (mangled.skip('Z')) {
            }
            return last_part(mangled);
        } else {
            mangled.skip();
        }
    }
    return {};
}

std::size_t put(char (&out)[longest_kernel_name], std::size_t at, Text text) {
    const std::size_t room = longest_kernel_name - at;
    const std::size_t size = text.size < room ? text.size : room;
    std::memcpy(out + at, text.data, size);
    return at + size;
}

}  // namespace

std::size_t short_kernel_name(Text mangled, char (&out)[longest_kernel_name]) {
    if (!mangled.starts_with("_Z")) return put(out, 0, mangled);
    Mangled rest(Text(mangled.data + 2, mangled.size - 2));
    const Text base = last_part(rest);
    std::size_t size = put(out, 0, base);
    if (base.empty() || rest.look() != 'I') return size;
    const Text inner = around_lambda(rest);
    if (inner.empty() || size + inner.size + 2 > longest_kernel_name) return size;
    size = put(out, size, "(");
    size = put(out, size, inner);
    return put(out, size, ")");
}

}  // namespace holdfast::agent
