// Puts a judgement into words: the last step, after which nothing is decided.
#pragma once

#include "diagnose/judgement.h"
#include "diagnose/words/account.h"
#include "model/verdict.h"

namespace holdfast {

Account account_of(const Finding& finding);
Statement stated(const Finding& finding);

// The verdict about the process that `death` describes.
Verdict in_words(const Judgement& judgement, const Autopsy& death);

}  // namespace holdfast
