# Compares what the engine module takes, and all state it has beside linear memory, with the list in EXPECTED. Restoring
# memory and the stack pointer is sound only while that list holds.
set(actual)
foreach(section IN ITEMS Import Memory Global Table Export)
  execute_process(COMMAND ${OBJDUMP} -x -j ${section} ${MODULE} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "\n - [^\n]*" lines "${text}")
  # Exported functions are the engine's interface and no state.
  list(FILTER lines EXCLUDE REGEX "- func\\[[0-9]+\\].* -> ")
  string(APPEND actual "${section}" ${lines} "\n")
endforeach()
execute_process(COMMAND ${OBJDUMP} -d ${MODULE} OUTPUT_VARIABLE code COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "table\\.(set|grow|init|copy|fill)|elem\\.drop|data\\.drop|memory\\.init" changes "${code}")
list(LENGTH changes count)
string(APPEND actual "Instructions that change a table or a segment: ${count}\n")

file(READ ${EXPECTED} expected)
if(NOT actual STREQUAL expected)
  message(FATAL_ERROR "the engine module has another shape. Expected:\n${expected}\nActual:\n${actual}")
endif()
