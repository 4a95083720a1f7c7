# Turns the folder's HF*.md into one C++ file. Included, it defines holdfast_embed_causes(OUTPUT file);
# run with `cmake -P`, it is that command's generator.

function(holdfast_embed_causes)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUTPUT" "")
  file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/HF*.md)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  add_custom_command(
    OUTPUT ${arg_OUTPUT}
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${CMAKE_CURRENT_SOURCE_DIR} -D OUTPUT=${arg_OUTPUT} -P ${script}
    # The folder itself, too: the removal of a page changes no remaining file.
    DEPENDS ${pages} ${script} ${CMAKE_CURRENT_SOURCE_DIR}
    COMMENT "Embedding the pages of causes/"
    VERBATIM)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  return()
endif()

file(GLOB pages ${FOLDER}/HF*.md)
list(SORT pages)
list(LENGTH pages count)
set(rows "")
foreach(page IN LISTS pages)
  cmake_path(GET page STEM LAST_ONLY name)
  string(REGEX MATCH "^(HF[0-9]+)-(.+)$" matched "${name}")
  if(NOT matched)
    message(FATAL_ERROR "${page}: a page is named <code>-<slug>.md")
  endif()
  set(code "${CMAKE_MATCH_1}")
  set(slug "${CMAKE_MATCH_2}")
  file(READ ${page} text)
  if(text MATCHES "\\)page\"")
    message(FATAL_ERROR "${page}: holds the delimiter of the raw string it is put into")
  endif()
  string(APPEND rows "    CausePage{\"${code}\", \"${slug}\", R\"page(${text})page\"},\n")
endforeach()

file(WRITE ${OUTPUT} "// Generated from causes/ by cmake/EmbedCauses.cmake.
#include <array>

#include \"causes/cause_pages.h\"

namespace holdfast {
namespace {
constexpr std::array<CausePage, ${count}> pages{{
${rows}}};
}  // namespace

std::span<const CausePage> cause_pages() { return pages; }

}  // namespace holdfast
")
