#include "present/plan_picture.h"

#include <algorithm>

#include "base/format.h"
#include "present/markup.h"
#include "present/plan_page.h"

namespace holdfast {
namespace {

constexpr double width = 680;
constexpr double edge = 20;
constexpr double inner = width - 2 * edge;
constexpr double row = 20;
constexpr std::size_t most_places = 8;

// Follows the reader's light or dark theme, in an image viewer and inside a page.
constexpr const char* style =
    "<style>.hf{font:13px system-ui,sans-serif}.hf text{fill:#1f2328}.hf .dim{fill:#59636e}"
    ".hf .ground{fill:#fff}@media(prefers-color-scheme:dark){.hf text{fill:#e6edf3}"
    ".hf .dim{fill:#9198a1}.hf .ground{fill:#0d1117}}</style>";

class Drawing {
public:
    void text(double x, double y, std::string_view words, std::string_view attributes = "") {
        body_ += formatted("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes,
                           escaped(words));
    }
    void box(double x, double y, double wide, double high, std::string_view colour,
             const std::string& title) {
        body_ += formatted(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\">"
            "<title>{}</title></rect>\n",
            x, y, std::max(wide, 0.0), high, colour, escaped(title));
    }
    void limit(double x, double y, double high) {
        body_ += formatted(
            "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#d32f2f\" "
            "stroke-width=\"2\" stroke-dasharray=\"4 3\"/>\n",
            x, y, y + high);
    }
    std::string finish(double height, const std::string& label) const {
        return formatted(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hf\" viewBox=\"0 0 {0:.0f} "
            "{1:.0f}\" "
            "width=\"100%\" style=\"max-width:{0:.0f}px\" role=\"img\" aria-label=\"{2}\">\n{3}\n"
            "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n{4}</svg>\n",
            width, height, escaped(label), style, body_);
    }

private:
    std::string body_;
};

std::string amount(Bytes bytes, Bytes whole) {
    return formatted("{} · {:.0f} %", human(bytes), 100 * bytes.share_of(whole));
}

// Each part is as long as its share; the dashed line marks the end of the GPU's memory.
double bar(Drawing& drawing, const fit::Plan& plan, Bytes whole, double y) {
    constexpr double high = 30;
    double x = edge;
    drawing.box(edge, y, inner, high, "#9aa0a633", "free");
    for (const PlanPart& part : plan_parts(plan.anatomy)) {
        const double wide = inner * part.bytes.share_of(whole);
        if (part.bytes.count == 0) continue;
        drawing.box(x, y, wide, high, part.colour,
                    formatted("{}: {}", part.name, human(part.bytes)));
        x += wide;
    }
    const double end = edge + inner * plan.capacity.share_of(whole);
    drawing.limit(end, y - 4, high + 8);
    drawing.text(end, y + high + 18, human(plan.capacity),
                 end < width / 4 ? R"(class="dim")" : R"(class="dim" text-anchor="end")");
    return y + high + 28;
}

double legend(Drawing& drawing, const fit::Plan& plan, Bytes whole, double y) {
    bool left = false;  // true: the left one of two beside each other
    for (const PlanPart& part : plan_parts(plan.anatomy)) {
        if (part.bytes.count == 0) continue;
        left = !left;
        if (left) y += row;
        const double x = left ? edge : edge + inner / 2 + 10;
        const double line = y - row + 12;
        drawing.box(x, line - 10, 11, 11, part.colour, part.name);
        drawing.text(x + 18, line, part.name);
        drawing.text(x + inner / 2 - 10, line, amount(part.bytes, whole), R"(text-anchor="end")");
    }
    return y;
}

double places(Drawing& drawing, const fit::Anatomy& anatomy, double y) {
    const auto& shares = anatomy.activations_by_place;
    if (shares.empty()) return y;
    y += 28;
    drawing.text(edge, y, "Activations by place", R"(font-weight="600")");
    const Bytes most = shares.front().bytes;
    for (std::size_t i = 0; i < std::min(shares.size(), most_places); ++i) {
        y += row + 6;
        const double wide = inner * shares[i].bytes.share_of(most);
        drawing.box(edge, y - 15, wide, row + 1, "#e8710a40", place_of(shares[i]));
        drawing.text(edge + 6, y, place_of(shares[i]));
        drawing.text(width - edge - 4, y, human(shares[i].bytes), R"(text-anchor="end")");
    }
    return y;
}

}  // namespace

std::string plan_svg(const fit::Plan& plan) {
    Drawing drawing;
    const Bytes whole =
        std::max({plan.capacity, plan.peak_reserved + plan.anatomy.context, Bytes{1}});
    const std::string headline = plan_headline(plan);
    drawing.text(edge, 32, headline, R"(font-size="17" font-weight="600")");
    std::string under = plan_margin(plan);
    if (const std::string largest = plan_largest(plan); !largest.empty()) under += " " + largest;
    drawing.text(edge, 54, under, R"(class="dim")");
    double y = bar(drawing, plan, whole, 72);
    y = legend(drawing, plan, whole, y);
    y = places(drawing, plan.anatomy, y);
    if (!plan.anatomy.moment.empty()) {
        y += 26;
        drawing.text(edge, y, "The peak is at " + plan.anatomy.moment + ".", R"(class="dim")");
    }
    return drawing.finish(y + edge, headline);
}

std::string plan_html(const fit::Plan& plan) {
    return formatted(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n"
        "<style>:root{{color-scheme:light dark}}body{{margin:0}}</style>\n{}</html>\n",
        escaped(plan_headline(plan)), plan_svg(plan));
}

}  // namespace holdfast
