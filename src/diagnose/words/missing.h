// What could not be seen, in sentences.
#pragma once

#include <string>
#include <vector>

#include "model/evidence.h"

namespace holdfast {

std::string sentence_about(const Missing& missing);
std::vector<std::string> sentences(const std::vector<Missing>& list);

}  // namespace holdfast
