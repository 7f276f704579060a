#pragma once

#include "settings/environment.h"
#include "settings/reader.h"
#include "settings/table.h"
#include "settings/value_syntax.h"

// The words of `settings` that this room speaks all day.
namespace plimsoll::daemon {

using settings::Address;
using settings::AddressText;
using settings::DefaultText;
using settings::DurationText;
using settings::Environment;
using settings::FindSetting;
using settings::Id;
using settings::IsLoopback;
using settings::kSettingCount;
using settings::LowerCase;
using settings::ParseAddress;
using settings::ParseBool;
using settings::ParseDuration;
using settings::ParseFloat;
using settings::ParseInt;
using settings::Quoted;
using settings::Range;
using settings::ReadBy;
using settings::Secrecy;
using settings::Section;
using settings::Setting;
using settings::SettingOf;
using settings::Settings;
using settings::SettingsReader;
using settings::StartError;
using settings::Title;
using settings::TrimmedValue;
using settings::Type;
using settings::UnknownNames;
using settings::ValueIn;

}  // namespace plimsoll::daemon
