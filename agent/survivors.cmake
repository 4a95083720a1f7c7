# Turns agent/guard/survivors.txt into rows of C++. Included, it defines
# holdfast_embed_survivors(OUTPUT file); run with `cmake -P`, it is that command's generator.

function(holdfast_embed_survivors)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUTPUT" "")
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  cmake_path(GET script PARENT_PATH here)
  add_custom_command(
    OUTPUT ${arg_OUTPUT}
    COMMAND ${CMAKE_COMMAND} -D TABLE=${here}/guard/survivors.txt -D OUTPUT=${arg_OUTPUT} -P ${script}
    DEPENDS ${here}/guard/survivors.txt ${script}
    COMMENT "Embedding agent/guard/survivors.txt"
    VERBATIM)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  return()
endif()

file(STRINGS ${TABLE} lines REGEX "^[^#]")
set(rows "")
set(count 0)
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^([^ ]+) +(asks|clears|throws|passes|unwinds) +[a-z_]+$")
    message(FATAL_ERROR "${TABLE}: not a row: ${line}")
  endif()
  string(APPEND rows "    {\"${CMAKE_MATCH_1}\", Survival::${CMAKE_MATCH_2}},\n")
  math(EXPR count "${count} + 1")
endforeach()

file(WRITE ${OUTPUT} "// Generated from agent/guard/survivors.txt by agent/survivors.cmake.
#include \"agent/guard/survivors.h\"

namespace holdfast::agent {

const Survivor survivors[] = {
${rows}};
const std::size_t survivor_count = ${count};

}  // namespace holdfast::agent
")
