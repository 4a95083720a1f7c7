// How sure a statement is. In rising order, so that the larger of two is the surer.
#pragma once

namespace holdfast {

enum class Confidence { unknown, likely, certain };

}  // namespace holdfast
