# Turns one text file into a C++ string. Included, it defines
# holdfast_embed_file(INPUT file OUTPUT file HEADER header NAME name), where the header declares
# `extern const std::string_view name`; run with `cmake -P`, it is that command's generator.

function(holdfast_embed_file)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "INPUT;OUTPUT;HEADER;NAME" "")
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  cmake_path(GET arg_INPUT FILENAME file)
  add_custom_command(
    OUTPUT ${arg_OUTPUT}
    COMMAND ${CMAKE_COMMAND} -D INPUT=${arg_INPUT} -D OUTPUT=${arg_OUTPUT} -D HEADER=${arg_HEADER}
            -D NAME=${arg_NAME} -P ${script}
    DEPENDS ${arg_INPUT} ${script}
    COMMENT "Embedding ${file}"
    VERBATIM)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  return()
endif()

file(READ ${INPUT} text)
if(text MATCHES "\\)file\"")
  message(FATAL_ERROR "${INPUT}: holds the delimiter of the raw string it is put into")
endif()
cmake_path(GET INPUT FILENAME file)
file(WRITE ${OUTPUT} "// Generated from ${file} by cmake/EmbedFile.cmake.
#include \"${HEADER}\"

namespace holdfast {

const std::string_view ${NAME} = R\"file(${text})file\";

}  // namespace holdfast
")
