# One function per kind of target, so that a folder's CMakeLists.txt only names its dependencies.

add_library(holdfast_options INTERFACE)
target_compile_features(holdfast_options INTERFACE cxx_std_20)
target_compile_options(holdfast_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor)
target_include_directories(holdfast_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
# The compiler's own garbage collection takes a twentieth of its time.
target_compile_options(holdfast_options INTERFACE
  "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=524288>")
if(HOLDFAST_UNITY)
  # In a joined library almost every local variable shadows another file's name; the dev preset checks.
  target_compile_options(holdfast_options INTERFACE -Wno-shadow)
endif()
if(HOLDFAST_SANITIZE)
  target_compile_options(holdfast_options INTERFACE -fsanitize=${HOLDFAST_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(holdfast_options INTERFACE -fsanitize=${HOLDFAST_SANITIZE})
endif()
if(HOLDFAST_FUZZ)
  # The libraries must count their branches, or the fuzzer gets no feedback.
  target_compile_options(holdfast_options INTERFACE -fsanitize=fuzzer-no-link)
  add_custom_target(fuzz_targets)
endif()

# ccache must see which precompiled header a file includes.
set(HOLDFAST_PCH_FOR_CCACHE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)

# Code that all test programs include is compiled once, and so is the main() of all fuzz targets.
function(holdfast_test_program target)
  target_compile_options(${target} PRIVATE -O0 ${HOLDFAST_PCH_FOR_CCACHE})
  target_precompile_headers(${target} REUSE_FROM holdfast_test_headers)
  add_dependencies(tests ${target})
endfunction()
if(HOLDFAST_TESTS)
  add_custom_target(tests)  # every test program; not part of `all`
  add_library(holdfast_test_headers OBJECT EXCLUDE_FROM_ALL
    ${PROJECT_SOURCE_DIR}/tests/unit/headers.cc)
  target_link_libraries(holdfast_test_headers PRIVATE holdfast_options GTest::gtest_main)
  target_compile_options(holdfast_test_headers PRIVATE -O0 ${HOLDFAST_PCH_FOR_CCACHE})
  target_precompile_headers(holdfast_test_headers PRIVATE
    ${PROJECT_SOURCE_DIR}/tests/unit/headers.h)
  add_library(holdfast_corpus_main OBJECT EXCLUDE_FROM_ALL
    ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus_main.cc)
  target_link_libraries(holdfast_corpus_main PRIVATE holdfast_options)
endif()

# Compiles the sources of a library together: its headers are then read once, not once per file.
function(holdfast_join target)
  if(HOLDFAST_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 32)
  endif()
endfunction()

# holdfast_stage(record LINKS holdfast_base) makes the library holdfast_record from the folder's sources,
# one test program from its *_test.cc, and one program per *_fuzz.cc. SOURCES adds generated files, ROOMS
# its folders. HOT is for code in loops that a user waits for; the rest is optimised less, which saves a
# quarter of everybody's build. A test finds the folder's fixtures/ below HOLDFAST_FIXTURES.
function(holdfast_stage name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOT" "" "SOURCES;LINKS;ROOMS")
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  foreach(room IN LISTS arg_ROOMS)
    file(GLOB more CONFIGURE_DEPENDS ${room}/*.cc)
    list(APPEND sources ${more})
  endforeach()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(fuzz ${sources})
  list(FILTER fuzz INCLUDE REGEX "_fuzz\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cc$")
  add_library(holdfast_${name} STATIC ${sources} ${arg_SOURCES})
  target_link_libraries(holdfast_${name} PUBLIC holdfast_options ${arg_LINKS})
  set_target_properties(holdfast_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  holdfast_join(holdfast_${name})
  if(NOT arg_HOT)
    target_compile_options(holdfast_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(HOLDFAST_TESTS AND tests)
    add_executable(${name}_test EXCLUDE_FROM_ALL ${tests})
    holdfast_test_program(${name}_test)
    target_link_libraries(${name}_test PRIVATE holdfast_${name} GTest::gtest_main)
    target_compile_definitions(${name}_test PRIVATE
      HOLDFAST_FIXTURES="${CMAKE_CURRENT_SOURCE_DIR}/fixtures")
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}/ DISCOVERY_TIMEOUT 60)
  endif()
  if(HOLDFAST_TESTS)
    foreach(file IN LISTS fuzz)
      holdfast_fuzz_target(${name} ${file})
    endforeach()
  endif()
endfunction()

# A fuzz target is a file with LLVMFuzzerTestOneInput and a folder fuzz/corpus/<name>. The test suite
# runs it over its corpus and over a fixed number of mutations of it; with HOLDFAST_FUZZ (clang) it is a
# libFuzzer program instead.
function(holdfast_fuzz_target stage file)
  cmake_path(GET file STEM target)
  add_executable(${target} EXCLUDE_FROM_ALL ${file})
  target_link_libraries(${target} PRIVATE holdfast_${stage})
  add_dependencies(tests ${target})
  if(HOLDFAST_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzz_targets ${target})
  else()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:holdfast_corpus_main>)
    add_test(NAME ${stage}/${target}
             COMMAND ${target} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${target})
  endif()
endfunction()
