// A judgement in words: the last step; nothing is decided after it.
#pragma once

#include "diagnose/judgement.h"
#include "diagnose/words/account.h"
#include "model/verdict.h"

namespace holdfast {

Account account_of(const Finding& finding);
Statement stated(const Finding& finding);

// The verdict on the process that `death` describes.
Verdict in_words(const Judgement& judgement, const Autopsy& death);

}  // namespace holdfast
