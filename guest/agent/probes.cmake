# The probes of the smoke test, as sources of plimsoll-guest. Raw system calls and nothing of ours but this folder.
set(PLIMSOLL_GUEST_PROBES
  probe.cc
  probe_fact.cc
  probe_files.cc
  probe_limits.cc
  probe_reach.cc
  probe_self.cc
  probe_text.cc)
list(TRANSFORM PLIMSOLL_GUEST_PROBES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)

if(PLIMSOLL_TESTS)
  find_package(nlohmann_json 3.11 REQUIRED)
  # The probes without an agent around them, static as the agent is, to be tried in a container by hand.
  add_executable(plimsoll-guest-probe ${CMAKE_CURRENT_LIST_DIR}/testing/probe_main.cc ${PLIMSOLL_GUEST_PROBES})
  target_include_directories(plimsoll-guest-probe PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(plimsoll-guest-probe PRIVATE -O2 -fPIE -fno-sanitize=all)
  target_link_options(plimsoll-guest-probe PRIVATE -fno-sanitize=all -static-pie)
  target_link_libraries(plimsoll-guest-probe PRIVATE plimsoll_flags)
endif()
plimsoll_test(guest_probe_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/probe_test.cc ${PLIMSOLL_GUEST_PROBES} DEPS base SYSTEM nlohmann_json::nlohmann_json)
if(PLIMSOLL_TESTS)
  target_include_directories(guest_probe_test PRIVATE ${PROJECT_SOURCE_DIR})
endif()
