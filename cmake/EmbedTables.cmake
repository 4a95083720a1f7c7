# Makes one C++ file that holds every measured workspace table. The assembler includes each whole file:
# a compiler would need seconds and hundreds of megabytes for a string of five megabytes.
# usage: cmake -DOUTPUT= -DTABLES= -P this
set(symbols "")
set(pieces "")
set(entries "")
set(count 0)
foreach(table IN LISTS TABLES)
  # A cache of compiled files (zig has one) sees this text, but not the file that the assembler reads.
  file(SHA256 "${table}" hash)
  string(REGEX MATCH "sm_([0-9]+)" found "${table}")
  set(name holdfast_table_${CMAKE_MATCH_1})
  string(APPEND symbols "extern const char ${name}[];\nextern const char ${name}_end[];\n")
  string(APPEND pieces "    \"${name}:\\n\"  // ${hash}\n    \".incbin \\\"${table}\\\"\\n\"\n    \"${name}_end:\\n\"\n")
  string(APPEND entries "    {${CMAKE_MATCH_1}, ${name}, ${name}_end},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from src/fit/tables by cmake/EmbedTables.cmake.
#include \"fit/workspace/shipped_tables.h\"

asm(
    \".pushsection .rodata\\n\"
${pieces}    \".popsection\\n\");

extern \"C\" {
${symbols}}

namespace holdfast::fit {
namespace {
constexpr ShippedTable tables[] = {
${entries}};
}  // namespace

std::span<const ShippedTable> shipped_tables() { return tables; }

}  // namespace holdfast::fit
")
