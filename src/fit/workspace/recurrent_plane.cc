#include "fit/workspace/recurrent_plane.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace holdfast::fit {
namespace {

constexpr std::size_t parts = 3;
using Row = std::array<double, parts + 1>;  // the last is the right side
using Equations = std::array<Row, parts>;

// Scaled to about one, to keep the equations below well conditioned.
std::array<double, parts> parts_of(double batch, double steps) {
    return {1, batch / 32, batch * steps / 4096};
}

Equations least_squares(std::span<const RecurrentSample> samples) {
    Equations equations{};
    for (const RecurrentSample& sample : samples) {
        const auto at = parts_of(sample.batch, sample.steps);
        for (std::size_t row = 0; row < parts; ++row) {
            for (std::size_t column = 0; column < parts; ++column)
                equations[row][column] += at[row] * at[column];
            equations[row][parts] += at[row] * sample.bytes;
        }
    }
    return equations;
}

std::optional<std::array<double, parts>> solve(Equations equations) {
    constexpr double nothing = 1e-9;
    for (std::size_t step = 0; step < parts; ++step) {
        std::size_t best = step;
        for (std::size_t row = step + 1; row < parts; ++row)
            if (std::abs(equations[row][step]) > std::abs(equations[best][step])) best = row;
        std::swap(equations[step], equations[best]);
        if (std::abs(equations[step][step]) < nothing) return std::nullopt;
        for (std::size_t row = 0; row < parts; ++row) {
            if (row == step) continue;
            const double factor = equations[row][step] / equations[step][step];
            for (std::size_t column = step; column <= parts; ++column)
                equations[row][column] -= factor * equations[step][column];
        }
    }
    std::array<double, parts> solution{};
    for (std::size_t i = 0; i < parts; ++i) solution[i] = equations[i][parts] / equations[i][i];
    return solution;
}

}  // namespace

std::optional<double> on_plane(std::span<const RecurrentSample> samples, double batch,
                               double steps) {
    if (samples.size() < parts) return std::nullopt;
    const auto plane = solve(least_squares(samples));
    if (!plane) return std::nullopt;
    const auto at = parts_of(batch, steps);
    double bytes = 0;
    for (std::size_t i = 0; i < parts; ++i) bytes += (*plane)[i] * at[i];
    // Far from the measurements, the plane may be negative: then there is no answer.
    return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

}  // namespace holdfast::fit
