#include "native/libdw.h"

#ifdef HOLDFAST_HAVE_LIBDW
#include <dlfcn.h>

namespace holdfast {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& into) {
    into = reinterpret_cast<Function>(::dlsym(library, name));
    return into != nullptr;
}

const LibDw* load_once() {
    static LibDw dw{};
    void* library = ::dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    const bool whole = find(library, "dwfl_begin", dw.begin) && find(library, "dwfl_end", dw.end) &&
                       find(library, "dwfl_report_elf", dw.report_elf) &&
                       find(library, "dwfl_report_end", dw.report_end) &&
                       find(library, "dwfl_addrmodule", dw.addrmodule) &&
                       find(library, "dwfl_module_getsrc", dw.module_getsrc) &&
                       find(library, "dwfl_lineinfo", dw.lineinfo) &&
                       find(library, "dwfl_module_nextcu", dw.module_nextcu) &&
                       find(library, "dwarf_haspc", dw.haspc) &&
                       find(library, "dwarf_getsrc_die", dw.getsrc_die) &&
                       find(library, "dwarf_linesrc", dw.linesrc) &&
                       find(library, "dwarf_lineno", dw.lineno);
    return whole ? &dw : nullptr;
}

}  // namespace

const LibDw* LibDw::load() {
    static const LibDw* const loaded = load_once();
    return loaded;
}

}  // namespace holdfast
#endif
