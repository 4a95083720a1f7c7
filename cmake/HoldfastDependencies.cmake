# Distribution packages are used where present; otherwise the sources are fetched. fmt is taken as
# headers only: the one binary must run where libfmt.so is not installed.
include(FetchContent)
set(FETCHCONTENT_QUIET OFF)

FetchContent_Declare(fmt
  GIT_REPOSITORY https://github.com/fmtlib/fmt.git GIT_TAG 9.1.0 GIT_SHALLOW TRUE
  FIND_PACKAGE_ARGS 9)
FetchContent_Declare(nlohmann_json
  GIT_REPOSITORY https://github.com/nlohmann/json.git GIT_TAG v3.11.2 GIT_SHALLOW TRUE
  FIND_PACKAGE_ARGS 3.10)
FetchContent_MakeAvailable(fmt nlohmann_json)

# elfutils: headers only, and only where there are any. The library is opened at run time, when a
# crash is to be unwound; without it the faulting place alone is named.
find_path(HOLDFAST_ELFUTILS_INCLUDE elfutils/libdwfl.h)
if(HOLDFAST_ELFUTILS_INCLUDE)
  set(HOLDFAST_HAVE_ELFUTILS ON)
else()
  set(HOLDFAST_HAVE_ELFUTILS OFF)
  message(STATUS "elfutils headers not found: native stacks will have one frame")
endif()
mark_as_advanced(HOLDFAST_ELFUTILS_INCLUDE)

if(HOLDFAST_TESTS)
  FetchContent_Declare(GTest
    GIT_REPOSITORY https://github.com/google/googletest.git GIT_TAG release-1.12.1 GIT_SHALLOW TRUE
    FIND_PACKAGE_ARGS 1.12 NAMES GTest)
  FetchContent_MakeAvailable(GTest)
  include(GoogleTest)
endif()
