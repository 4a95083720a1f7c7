// Takes a picture (stall/picture.h) of a tree that may be stuck, from /proc and Python's memory.
#pragma once

#include "base/time.h"
#include "sources/roots.h"
#include "stall/picture.h"
#include "supervise/process_tree.h"
#include "supervise/stack_watch.h"

namespace holdfast {

StallPicture take_picture(Nanos now, const sources::Roots& roots, const ProcessTree& tree,
                          StackWatch& stacks);

}  // namespace holdfast
