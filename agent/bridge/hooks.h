// The hooks: Python text inside the agent, compiled when first needed and kept out of sys.modules.
#pragma once

#include <cstddef>

#include "agent/bridge/api.h"

namespace holdfast::agent {

struct HookSource {
    const char* name;  // "hooks.torch"
    const char* file;  // "<holdfast torch>"
    const char* text;
};
// Generated from agent/hooks/*.py (hooks.cmake).
extern const HookSource hook_sources[];
extern const std::size_t hook_source_count;

// Where hooks find `_holdfast_agent`. Once, before load_hook.
bool prepare_hooks(PyObject* agent_module);

// The module of that name, run on first use. A new reference, or null with an exception set. Inside
// it `import` finds other hooks, `_holdfast_agent`, and what the program has already imported.
PyObject* load_hook(const char* name);

}  // namespace holdfast::agent
