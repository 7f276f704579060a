#pragma once

#include <span>
#include <string_view>

namespace plimsoll::wasm {

// JavaScript that is part of the program: text of a file of the repository, put in at build time.
struct EmbeddedFile {
  std::string_view name;  // without folder and `.js`
  std::string_view text;
};

// The files of `prelude/` that its ORDER names, joined in that order into one script.
std::string_view PreludeScript();

// `prelude/modules/install.js`: the script that evaluates the modules once.
std::string_view ModuleInstaller();

// The modules of `prelude/modules/`: `std` is imported as `qjs:std`.
std::span<const EmbeddedFile> ShellModules();

}  // namespace plimsoll::wasm
