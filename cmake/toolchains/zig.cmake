# The compiler of the wheels: zig (`pip install ziglang`) brings clang, lld, libc++ and the symbols of
# every glibc for every machine, so that one build serves all Linux since glibc 2.17.
# cmake --toolchain cmake/toolchains/zig.cmake -D HOLDFAST_ZIG=/path/to/zig -D HOLDFAST_MACHINE=aarch64
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${HOLDFAST_MACHINE})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HOLDFAST_ZIG HOLDFAST_MACHINE)

set(CMAKE_CXX_COMPILER ${HOLDFAST_ZIG} c++)
set(CMAKE_CXX_COMPILER_TARGET ${HOLDFAST_MACHINE}-linux-gnu.2.17)

# `zig ar` is two words, but CMAKE_AR may have only one.
set(CMAKE_AR ${HOLDFAST_ZIG} CACHE FILEPATH "")
set(CMAKE_CXX_ARCHIVE_CREATE "<CMAKE_AR> ar qcD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "<CMAKE_AR> ar qD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "<CMAKE_AR> ranlib -D <TARGET>")

# Everything that zig lacks comes from tools/fetch-sysroot, never from the machine that builds.
cmake_path(SET CMAKE_FIND_ROOT_PATH NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/${HOLDFAST_MACHINE})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# zig compiles its libc++ once for each kind of linking: so there is one kind here, and CMake's checks
# link nothing.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(HOLDFAST_CODECS_LINK ON CACHE INTERNAL "the decoders of the sysroot are known to")
set(CMAKE_CXX_FLAGS_INIT "-O2 -fPIC")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-pie -s")
set(CMAKE_SHARED_LINKER_FLAGS_INIT -s)
set(CMAKE_MODULE_LINKER_FLAGS_INIT -s)

# The same bytes wherever it is built: without debug information and paths of the source tree.
string(APPEND CMAKE_CXX_FLAGS_INIT " -g0 -ffile-prefix-map=${CMAKE_SOURCE_DIR}=."
  " -ffile-prefix-map=${CMAKE_BINARY_DIR}=build")
