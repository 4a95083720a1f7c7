// libdw, loaded at the moment a stack must be unwound and not before: most runs never crash, and
// the binary must start where elfutils is not installed.
#pragma once

#if __has_include(<elfutils/libdwfl.h>)
#include <elfutils/libdwfl.h>
#define HOLDFAST_HAVE_LIBDW 1

namespace holdfast {

struct LibDw {
    // Null when the library is not there or lacks a function.
    static const LibDw* load();

    decltype(&::dwfl_begin) begin;
    decltype(&::dwfl_end) end;
    decltype(&::dwfl_report_elf) report_elf;
    decltype(&::dwfl_report_end) report_end;
    decltype(&::dwfl_attach_state) attach_state;
    decltype(&::dwfl_getthread_frames) getthread_frames;
    decltype(&::dwfl_thread_state_registers) thread_state_registers;
    decltype(&::dwfl_thread_state_register_pc) thread_state_register_pc;
    decltype(&::dwfl_frame_pc) frame_pc;
    decltype(&::dwfl_addrmodule) addrmodule;
    decltype(&::dwfl_module_eh_cfi) module_eh_cfi;
    decltype(&::dwfl_module_dwarf_cfi) module_dwarf_cfi;
    decltype(&::dwarf_cfi_addrframe) cfi_addrframe;
    decltype(&::dwfl_module_getsrc) module_getsrc;
    decltype(&::dwfl_lineinfo) lineinfo;
    decltype(&::dwfl_module_nextcu) module_nextcu;
    decltype(&::dwarf_haspc) haspc;
    decltype(&::dwarf_getsrc_die) getsrc_die;
    decltype(&::dwarf_linesrc) linesrc;
    decltype(&::dwarf_lineno) lineno;
    // Since elfutils 0.188; null before.
    int (*frame_reg)(Dwfl_Frame*, unsigned, Dwarf_Word*);
};

}  // namespace holdfast
#endif
