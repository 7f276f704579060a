# The engine of the wasm provider: the pinned QuickJS module, translated to C and compiled once into an object that every
# preset links as it is. Sets
#   PLIMSOLL_QUICKJS_WASM    the module
#   PLIMSOLL_QUICKJS_OBJECT  its code, never instrumented
#   PLIMSOLL_QUICKJS_INCLUDE the folder of the translated header
#   PLIMSOLL_WASM_RT         the runtime of wasm2c
# The object lies in the cache folder under a name made from everything that went into it, so a new module, translator,
# compiler or flag makes a new object.
find_program(WASM2C wasm2c REQUIRED)
find_program(WASM_OBJDUMP wasm-objdump REQUIRED)
find_library(PLIMSOLL_WASM_RT wasm-rt-impl REQUIRED)
find_program(PLIMSOLL_ENGINE_CC NAMES gcc REQUIRED)

# -fstack-clash-protection: every page of a deep stack is touched in order, so an overflow always meets the guard.
# -fno-optimize-sibling-calls and -frounding-math -fsignaling-nans: as the translator's own tests compile its output.
set(PLIMSOLL_ENGINE_FLAGS -O2 -fPIE -fstack-clash-protection -fno-optimize-sibling-calls -frounding-math -fsignaling-nans -w)

file(STRINGS ${PROJECT_SOURCE_DIR}/src/providers/wasm/engine/identity.h identity_line REGEX "quickjs-wasm:sha256:")
string(REGEX REPLACE ".*sha256:([0-9a-f]+).*" "\\1" PLIMSOLL_QUICKJS_SHA256 "${identity_line}")

execute_process(COMMAND ${PROJECT_SOURCE_DIR}/cmake/fetch_quickjs.sh ${PLIMSOLL_QUICKJS_SHA256}
  OUTPUT_VARIABLE PLIMSOLL_QUICKJS_WASM OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

function(plimsoll_compile_engine)
  execute_process(COMMAND ${WASM2C} --version OUTPUT_VARIABLE wasm2c_version COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${PLIMSOLL_ENGINE_CC} --version OUTPUT_VARIABLE cc_version COMMAND_ERROR_IS_FATAL ANY)
  string(SHA256 key "${PLIMSOLL_QUICKJS_SHA256} ${wasm2c_version} ${cc_version} ${PLIMSOLL_ENGINE_FLAGS}")
  get_filename_component(cache ${PLIMSOLL_QUICKJS_WASM} DIRECTORY)
  set(folder ${cache}/engine-${key})
  if(NOT EXISTS ${folder}/quickjs.o)
    message(STATUS "Compiling the wasm engine once for all presets (half a minute)")
    string(RANDOM LENGTH 12 unique)
    set(work ${folder}.${unique})
    file(MAKE_DIRECTORY ${work})
    execute_process(COMMAND ${WASM2C} ${PLIMSOLL_QUICKJS_WASM} --module-name=quickjs -o ${work}/quickjs.c COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${PLIMSOLL_ENGINE_CC} ${PLIMSOLL_ENGINE_FLAGS} -c quickjs.c -o quickjs.o
      WORKING_DIRECTORY ${work} COMMAND_ERROR_IS_FATAL ANY)
    # Two builds may arrive here at once: the first rename wins and the other one's work is thrown away.
    file(RENAME ${work} ${folder} RESULT lost)
    if(lost)
      file(REMOVE_RECURSE ${work})
    endif()
  endif()
  set(PLIMSOLL_QUICKJS_OBJECT ${folder}/quickjs.o PARENT_SCOPE)
  set(PLIMSOLL_QUICKJS_INCLUDE ${folder} PARENT_SCOPE)
endfunction()
plimsoll_compile_engine()
