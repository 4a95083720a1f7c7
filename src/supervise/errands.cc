#include "supervise/errands.h"

#include <utility>

namespace holdfast {

void Errands::add(Child child) {
    if (child) running_.push_back(std::move(child));
}

void Errands::forget(pid_t pid) {
    std::erase_if(running_, [pid](const Child& child) { return child.pid() == pid; });
}

void Errands::end_all() {
    for (Child& child : running_) child.end();
    running_.clear();
}

}  // namespace holdfast
