# Turns agent/hooks/*.py into one C++ file. Included, it defines holdfast_embed_hooks(OUTPUT file);
# run with `cmake -P`, it is that command's generator.

function(holdfast_embed_hooks)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUTPUT" "")
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  cmake_path(GET script PARENT_PATH here)
  file(GLOB hooks CONFIGURE_DEPENDS ${here}/hooks/*.py)
  add_custom_command(
    OUTPUT ${arg_OUTPUT}
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${here}/hooks -D OUTPUT=${arg_OUTPUT} -P ${script}
    # The folder itself, too: the removal of a hook changes no remaining file.
    DEPENDS ${hooks} ${script} ${here}/hooks
    COMMENT "Embedding agent/hooks/"
    VERBATIM)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  return()
endif()

file(GLOB hooks ${FOLDER}/*.py)
list(SORT hooks)
list(LENGTH hooks count)
set(rows "")
foreach(hook IN LISTS hooks)
  cmake_path(GET hook STEM LAST_ONLY name)
  file(READ ${hook} text)
  if(text MATCHES "\\)hook\"")
    message(FATAL_ERROR "${hook}: holds the delimiter of the raw string it is put into")
  endif()
  string(APPEND rows "    {\"hooks.${name}\", \"<holdfast ${name}>\", R\"hook(${text})hook\"},\n")
endforeach()

file(WRITE ${OUTPUT} "// Generated from agent/hooks/ by agent/hooks.cmake.
#include \"agent/bridge/hooks.h\"

namespace holdfast::agent {

const HookSource hook_sources[] = {
${rows}};
const std::size_t hook_source_count = ${count};

}  // namespace holdfast::agent
")
