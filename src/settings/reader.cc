#include "settings/reader.h"

#include <utility>

#include "base/check.h"

namespace plimsoll::settings {
namespace {

bool IsRawText(Type type) { return type == Type::kString || type == Type::kPath; }

// True when `word` is one of the words of `choices`, which are separated by one space.
bool IsChoice(std::string_view choices, std::string_view word) {
  while (!word.empty() && !choices.empty()) {
    const std::size_t end = choices.find(' ');
    if (choices.substr(0, end) == word) {
      return true;
    }
    choices = end == std::string_view::npos ? std::string_view{} : choices.substr(end + 1);
  }
  return false;
}

}  // namespace

bool SettingsReader::IsSet(Id id) const {
  const Setting& setting = SettingOf(id);
  const auto value = ValueIn(environment_, setting.name);
  return value && !(IsRawText(setting.type) ? *value : TrimmedValue(*value)).empty();
}

std::optional<std::string_view> SettingsReader::Source(Id id) const {
  const Setting& setting = SettingOf(id);
  if (IsSet(id)) {
    return ValueIn(environment_, setting.name);
  }
  return setting.fallback.empty() ? std::nullopt : std::optional(setting.fallback);
}

template <typename T>
std::optional<T> SettingsReader::Take(Id id, base::Result<T> parsed) {
  if (!parsed) {
    errors_.push_back({std::string(SettingOf(id).name), std::string(base::TextOf(parsed.error()))});
    return std::nullopt;
  }
  return std::move(parsed).value();
}

std::optional<std::int64_t> SettingsReader::Int(Id id) {
  const Setting& setting = SettingOf(id);
  PLIMSOLL_CHECK(setting.type == Type::kInt || setting.type == Type::kMegabytes);
  const auto source = Source(id);
  auto value = source ? Take(id, ParseInt(*source)) : std::nullopt;
  if (value && (*value < setting.range.min || *value > setting.range.max)) {
    errors_.push_back({std::string(setting.name), std::to_string(*value) + " is outside " +
                                                      std::to_string(setting.range.min) + " to " +
                                                      std::to_string(setting.range.max)});
    return std::nullopt;
  }
  return value;
}

std::optional<double> SettingsReader::Float(Id id) {
  PLIMSOLL_CHECK(SettingOf(id).type == Type::kFloat);
  const auto source = Source(id);
  return source ? Take(id, ParseFloat(*source)) : std::nullopt;
}

bool SettingsReader::Bool(Id id) {
  PLIMSOLL_CHECK(SettingOf(id).type == Type::kBool);
  const auto source = Source(id);
  return source && Take(id, ParseBool(*source)).value_or(false);
}

std::optional<std::chrono::nanoseconds> SettingsReader::Duration(Id id) {
  const Setting& setting = SettingOf(id);
  PLIMSOLL_CHECK(setting.type == Type::kDuration);
  const auto source = Source(id);
  auto value = source ? Take(id, ParseDuration(*source)) : std::nullopt;
  const bool never = value && id == Id::kSessionIdle && value->count() == 0;
  if (value && !never && (value->count() < setting.range.min || value->count() > setting.range.max)) {
    errors_.push_back({std::string(setting.name), DurationText(*value) + " is outside " +
                                                      DurationText(std::chrono::nanoseconds(setting.range.min)) +
                                                      " to " +
                                                      DurationText(std::chrono::nanoseconds(setting.range.max)) +
                                                      (id == Id::kSessionIdle ? ", and is not 0 for never" : "")});
    return std::nullopt;
  }
  return value;
}

std::optional<Address> SettingsReader::ListenAddress(Id id) {
  const Setting& setting = SettingOf(id);
  PLIMSOLL_CHECK(setting.type == Type::kAddress);
  const auto source = Source(id);
  if (!source || IsChoice(setting.choices, LowerCase(TrimmedValue(*source)))) {
    return std::nullopt;
  }
  return Take(id, ParseAddress(*source));
}

std::optional<std::string> SettingsReader::Choice(Id id) {
  const Setting& setting = SettingOf(id);
  PLIMSOLL_CHECK(setting.type == Type::kChoice);
  const auto source = Source(id);
  if (!source) {
    return std::nullopt;
  }
  std::string word = LowerCase(TrimmedValue(*source));
  if (!IsChoice(setting.choices, word)) {
    errors_.push_back({std::string(setting.name), Quoted(*source) + " is not one of: " + std::string(setting.choices)});
    return std::nullopt;
  }
  return word;
}

std::optional<std::string> SettingsReader::Text(Id id) {
  PLIMSOLL_CHECK(IsRawText(SettingOf(id).type));
  const auto source = Source(id);
  return source ? std::optional<std::string>(*source) : std::nullopt;
}

}  // namespace plimsoll::settings
