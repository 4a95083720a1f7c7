// libdw, loaded only when lines of native code are needed: most runs never crash, and Holdfast must
// start without elfutils.
#pragma once

#if __has_include(<elfutils/libdwfl.h>)
#include <elfutils/libdwfl.h>
#define HOLDFAST_HAVE_LIBDW 1

namespace holdfast {

struct LibDw {
    // Null if the library is missing or lacks a function.
    static const LibDw* load();

    decltype(&::dwfl_begin) begin;
    decltype(&::dwfl_end) end;
    decltype(&::dwfl_report_elf) report_elf;
    decltype(&::dwfl_report_end) report_end;
    decltype(&::dwfl_addrmodule) addrmodule;
    decltype(&::dwfl_module_getsrc) module_getsrc;
    decltype(&::dwfl_lineinfo) lineinfo;
    decltype(&::dwfl_module_nextcu) module_nextcu;
    decltype(&::dwarf_haspc) haspc;
    decltype(&::dwarf_getsrc_die) getsrc_die;
    decltype(&::dwarf_linesrc) linesrc;
    decltype(&::dwarf_lineno) lineno;
};

}  // namespace holdfast
#endif
