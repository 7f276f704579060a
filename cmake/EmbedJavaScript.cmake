# Writes OUTPUT, a C++ file that holds the text of JavaScript files: PRELUDE joined into one script, INSTALLER and each of MODULES alone.
function(literal text variable)
  if(text MATCHES "\\)plimsoll\"")
    message(FATAL_ERROR "a JavaScript file holds the end mark of its literal")
  endif()
  set(${variable} "R\"plimsoll(${text})plimsoll\"" PARENT_SCOPE)
endfunction()

set(prelude)
foreach(file IN LISTS PRELUDE)
  file(READ ${file} text)
  literal("${text}" text)
  string(APPEND prelude "\n    ${text}")
endforeach()
set(modules)
foreach(file IN LISTS MODULES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  literal("${text}" text)
  string(APPEND modules "\n    EmbeddedFile{\"${name}\", ${text}},")
endforeach()
file(READ ${INSTALLER} installer)
literal("${installer}" installer)
file(WRITE ${OUTPUT} "// Made by the build from prelude/.
#include \"providers/wasm/engine/embedded.h\"

#include <array>

namespace plimsoll::wasm {
namespace {
constexpr std::string_view kPrelude = ${prelude};
constexpr std::string_view kInstaller =
    ${installer};
constexpr std::array kModules = {${modules}
};
}  // namespace
std::string_view PreludeScript() { return kPrelude; }
std::string_view ModuleInstaller() { return kInstaller; }
std::span<const EmbeddedFile> ShellModules() { return kModules; }
}  // namespace plimsoll::wasm
")
