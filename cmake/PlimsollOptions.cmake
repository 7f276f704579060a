# Compiler settings shared by every target, and the switches of the presets.
option(PLIMSOLL_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
include(CMakeDependentOption)
cmake_dependent_option(PLIMSOLL_ENGINE_TESTS "Build the tests that need a docker engine" ON PLIMSOLL_TESTS OFF)
option(PLIMSOLL_WERROR "Treat warnings as errors" OFF)
option(PLIMSOLL_FUZZ "Build libFuzzer targets (clang only)" OFF)
option(PLIMSOLL_HEADERS_ALONE "Compile each public header alone" ${PROJECT_IS_TOP_LEVEL})
set(PLIMSOLL_SANITIZE "" CACHE STRING "Sanitizers: empty, address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
find_package(Threads REQUIRED)
find_package(OpenSSL 3 REQUIRED)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# The fortified library functions hide reads from the sanitizers, so a build has one or the other.
string(COMPARE EQUAL "${PLIMSOLL_SANITIZE}" "" PLIMSOLL_FORTIFY)

# Warnings and hardening of our own code. Linked privately, so an embedder's build is not forced to share them.
add_library(plimsoll_flags INTERFACE)
target_compile_options(plimsoll_flags INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,Clang>,$<NOT:$<BOOL:$<TARGET_PROPERTY:PLIMSOLL_GLOBAL_CONSTRUCTORS>>>>:-Wglobal-constructors>
  # g++ 12 is wrong about these two: a moved-from variant of variants, and std::string's operator+ inlined. clang and the
  # sanitizers check the same code.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  $<$<BOOL:${PLIMSOLL_WERROR}>:-Werror>
  $<$<AND:$<CONFIG:Release>,$<BOOL:${PLIMSOLL_FORTIFY}>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection>)
target_link_options(plimsoll_flags INTERFACE $<$<CONFIG:Release>:-Wl,-z,relro,-z,now>)
if(PLIMSOLL_SANITIZE)
  add_compile_options(-fsanitize=${PLIMSOLL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PLIMSOLL_SANITIZE})
endif()
if(PLIMSOLL_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
