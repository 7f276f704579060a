# plimsoll_public_library(TARGET NAME INCLUDE dir EXPORTS file): makes a shared library one that other projects link as
# plimsoll::NAME. It shows the headers of INCLUDE and the symbols that the version script EXPORTS lists, and nothing of what
# it is made of.
function(plimsoll_public_library target name)
  cmake_parse_arguments(ARG "" "INCLUDE;EXPORTS" "" ${ARGN})
  add_library(plimsoll::${name} ALIAS ${target})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${ARG_INCLUDE}> $<INSTALL_INTERFACE:include>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_options(${target} PRIVATE -Wl,--version-script=${ARG_EXPORTS})
  # Before 1.0 each minor version may change the interface, so it is part of the name that programs look for.
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${ARG_EXPORTS})
endfunction()

# plimsoll_install(): the rules of `cmake --install`, and the target `installed` that builds what they copy. The folders
# are fixed, because programs and libraries find each other and the worker by relative paths: the tree can be moved whole.
function(plimsoll_install)
  add_custom_target(installed DEPENDS plimsolld plimsoll plimsoll-wasm-worker plimsoll-guest plimsoll_sandbox plimsoll_client)
  set_target_properties(plimsolld plimsoll PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
  install(TARGETS plimsolld plimsoll RUNTIME DESTINATION bin COMPONENT programs)
  install(TARGETS plimsoll-wasm-worker plimsoll-guest RUNTIME DESTINATION libexec/plimsoll COMPONENT libraries)
  install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/plimsoll-resolv.conf DESTINATION libexec/plimsoll COMPONENT libraries)
  install(TARGETS plimsoll_sandbox plimsoll_client EXPORT plimsollTargets
    LIBRARY DESTINATION lib COMPONENT libraries NAMELINK_COMPONENT development)
  install(DIRECTORY include/plimsoll clients/cpp/include/plimsoll DESTINATION include COMPONENT development
    FILES_MATCHING PATTERN *.h)
  install(FILES README.md SECURITY.md LICENSE DESTINATION share/doc/plimsoll COMPONENT programs)
  install(FILES images/seccomp/plimsoll.json DESTINATION share/plimsoll/seccomp COMPONENT programs)

  set(package lib/cmake/plimsoll)
  include(CMakePackageConfigHelpers)
  configure_package_config_file(cmake/plimsollConfig.cmake.in plimsollConfig.cmake INSTALL_DESTINATION ${package}
    NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(plimsollConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/plimsollConfig.cmake ${PROJECT_BINARY_DIR}/plimsollConfigVersion.cmake
    DESTINATION ${package} COMPONENT development)
  install(EXPORT plimsollTargets NAMESPACE plimsoll:: DESTINATION ${package} COMPONENT development)
  foreach(name IN ITEMS plimsoll plimsoll-client)
    configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION lib/pkgconfig COMPONENT development)
  endforeach()
endfunction()
