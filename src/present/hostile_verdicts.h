// For tests: strange verdicts, made of hostile strings.
#pragma once

#include <random>
#include <string>

#include "model/verdict.h"

namespace holdfast::testing {

class HostileVerdicts {
public:
    explicit HostileVerdicts(unsigned seed) : random_(seed) {}

    std::string text() {
        switch (number(10)) {
        case 0: return {};
        case 1: return "plain words of an ordinary length that fill a line or two of the page";
        case 2: return std::string(10000, 'x');
        case 3: return "/very/long/path" + repeated("/with_many_levels", 30) + "/train.py";
        case 4: return "\x1b[2J\x1b]0;title\x07\x1b[31mred \xff\xfe\xc0 text\r\b\b";
        case 5: return repeated("速い記憶の消費", 20);
        case 6:
            return "e\xcc\x81 " + repeated("\xcc\x81", 200) +
                   " \xe2\x80\xaereversed \xf0\x9f\x94\xa5";
        case 7: return "a\nb\n\n\tc  \n   " + repeated(" d", 40);
        case 8: return repeated("word ", 2000);
        default: return {"\0nul\x7f", 5};
        }
    }

    Verdict verdict() {
        Verdict v;
        v.outcome = static_cast<Outcome>(number(4));
        v.run = {text(), text(), {text(), text()}, Nanos(number(1000)), {}, text()};
        if (coin()) v.run.ended_wall = Nanos(number(1U << 30U));
        if (coin()) v.exit.code = static_cast<int>(number(256));
        if (coin()) v.exit.signal = static_cast<int>(number(80));
        v.process = {static_cast<int>(number(9999)), text(), text()};
        v.end = finding();
        v.root = coin() ? v.end : finding();
        v.choice = text();
        for (unsigned i = number(9); i > 0; --i) v.contributing.push_back(finding());
        for (unsigned i = number(4); i > 0; --i) {
            v.python_stack.push_back({text(), {}});
            for (unsigned k = number(40); k > 0; --k)
                v.python_stack.back().frames.push_back({text(), static_cast<int>(k), text()});
        }
        for (unsigned i = number(30); i > 0; --i)
            v.native_stack.push_back({text(), text(), random_(), text(), 7});
        v.memory = memory();
        for (unsigned i = number(9); i > 0; --i) v.missing.push_back(text());
        return v;
    }

    MemorySummary memory() {
        MemorySummary m;
        if (coin()) m.peak = Bytes{amount()};
        if (coin()) m.limit = Bytes{amount()};
        m.limit_name = text();
        for (unsigned i = number(7); i > 0; --i)
            m.top_sites.push_back(
                {text(), 1, Bytes{amount()}, static_cast<std::int64_t>(amount()), Bytes{amount()}});
        for (unsigned i = number(100); i > 0; --i)
            m.curve.push_back({Nanos(number(1000000)), Bytes{amount()}, {}});
        return m;
    }

private:
    Statement finding() {
        Statement f{CauseId::at(number(static_cast<unsigned>(catalogue.size()))),
                    static_cast<Confidence>(number(3)),
                    text(),
                    {},
                    {},
                    {},
                    {}};
        if (coin()) f.where = Where{text(), static_cast<int>(number(99)), text(), text()};
        for (unsigned i = number(16); i > 0; --i) f.evidence.push_back({text(), text()});
        for (unsigned i = number(8); i > 0; --i) f.fixes.push_back({text(), text()});
        return f;
    }
    static std::string repeated(const std::string& piece, int times) {
        std::string all;
        for (int i = 0; i < times; ++i) all += piece;
        return all;
    }
    unsigned number(unsigned below) { return static_cast<unsigned>(random_() % below); }
    bool coin() { return number(2) == 0; }
    std::uint64_t amount() { return random_() >> number(64); }

    std::mt19937_64 random_;
};

}  // namespace holdfast::testing
