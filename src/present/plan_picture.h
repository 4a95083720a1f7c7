// A plan's anatomy as a picture: a bar as long as the GPU's memory, and its parts.
#pragma once

#include <string>

#include "fit/plan/plan.h"

namespace holdfast {

std::string plan_svg(const fit::Plan& plan);
// The same picture in a page of its own.
std::string plan_html(const fit::Plan& plan);

}  // namespace holdfast
