# The software bill of materials of a wheel: foreign code that is linked into its files.
# holdfast_write_sbom(OUTPUT file JPEG include-folder ZLIB include-folder); folders may be empty.

# The version that a header's #define gives; empty if there is none.
function(holdfast_header_version result header name)
  set(version "")
  if(EXISTS ${header})
    file(STRINGS ${header} line REGEX "#define +${name} " LIMIT_COUNT 1)
    string(REGEX MATCH "[0-9]+(\\.[0-9]+)+" version "${line}")
  endif()
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

function(holdfast_write_sbom)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUTPUT;JPEG;ZLIB" "")
  holdfast_header_version(jpeg "${arg_JPEG}/jconfig.h" LIBJPEG_TURBO_VERSION)
  holdfast_header_version(zlib "${arg_ZLIB}/zlib.h" ZLIB_VERSION)
  # name, version, licence, which of our files holds it
  set(rows "")
  if(arg_JPEG)
    list(APPEND rows "libjpeg-turbo|${jpeg}|IJG AND BSD-3-Clause AND Zlib|libholdfast_loader.so")
  endif()
  if(arg_ZLIB)
    list(APPEND rows "zlib|${zlib}|Zlib|libholdfast_loader.so")
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CROSSCOMPILING)
    list(APPEND rows "llvm-libcxx|${CMAKE_CXX_COMPILER_VERSION}|Apache-2.0 WITH LLVM-exception|holdfast")
  else()
    list(APPEND rows "gcc-libstdc++|${CMAKE_CXX_COMPILER_VERSION}|GPL-3.0-or-later WITH GCC-exception-3.1|holdfast")
  endif()
  set(holdfast_components "")
  foreach(row IN LISTS rows)
    string(REPLACE "|" ";" row "${row}")
    list(GET row 0 name)
    list(GET row 1 version)
    list(GET row 2 licence)
    list(GET row 3 holder)
    if(holdfast_components)
      string(APPEND holdfast_components ",")
    endif()
    string(APPEND holdfast_components "
    {
      \"type\": \"library\",
      \"name\": \"${name}\",
      \"version\": \"${version}\",
      \"licenses\": [{ \"expression\": \"${licence}\" }],
      \"properties\": [{ \"name\": \"holdfast:linked-into\", \"value\": \"${holder}\" }]
    }")
  endforeach()
  set(holdfast_purl "pkg:pypi/holdfast@${PROJECT_VERSION}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/sbom.cdx.json.in ${arg_OUTPUT} @ONLY)
endfunction()
