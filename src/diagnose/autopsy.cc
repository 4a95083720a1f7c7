#include "diagnose/autopsy.h"

#include <csignal>

#include "diagnose/death/place.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/oom/memory_held.h"
#include "diagnose/text/last_text.h"

namespace holdfast {

Autopsy::Autopsy(const Death& death)
    : Death(death),
      agent(agent_of(*this)),
      crash(crash_of(*this)),
      exit_call(exit_call_of(*this)),
      exception(final_exception(*this)),
      dump(python_dump_at_end(all.stderr_tail)),
      refusal(refusal_in(*this)),
      died_at(where_it_died(*this)),
      was_at(where_it_was(*this)),
      oom_count(oom_count_of(*this)),
      oom_kill(oom_kill_of(*this)),
      held(held_at_end(*this)),
      held_by_tree(holdfast::held_by_tree(*this)),
      stand(standstill_of(*this)),
      fatal_child(child_that_felled(*this)) {}

std::shared_ptr<const Autopsy> autopsy_of(const Death& death) {
    return std::make_shared<const Autopsy>(death);
}

}  // namespace holdfast
