// A judgement in words: the last step, after which nothing is decided any more.
#pragma once

#include "diagnose/judgement.h"
#include "diagnose/words/account.h"
#include "model/verdict.h"

namespace holdfast {

Account account_of(const Finding& finding);
Statement stated(const Finding& finding);

// Of the process that `death` is about.
Verdict in_words(const Judgement& judgement, const Autopsy& death);

}  // namespace holdfast
