#include <gtest/gtest.h>

#include <set>
#include <string>

#include "daemon/local_file.h"
#include "daemon/reference.h"
#include "daemon/settings_words.h"

namespace plimsoll::daemon {
namespace {

TEST(SettingsTable, D3_NamesEverySettingOnceInTheHelp) {
  const std::string help = HelpText();
  std::set<std::string_view> names;
  for (const Setting& setting : Settings()) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    EXPECT_NE(help.find("  " + std::string(setting.name) + " ("), std::string::npos) << setting.name;
    EXPECT_EQ(FindSetting(setting.name), &setting);
    EXPECT_FALSE(setting.doc.empty());
    EXPECT_EQ(setting.doc.find('\n'), std::string_view::npos);
  }
}

TEST(SettingsTable, HoldsDefaultsThatItsOwnSyntaxTakes) {
  std::vector<StartError> errors;
  const Environment nothing;
  SettingsReader read(nothing, errors);
  for (const Setting& setting : Settings()) {
    switch (setting.type) {
      case Type::kInt:
      case Type::kMegabytes: read.Int(setting.id); break;
      case Type::kFloat: read.Float(setting.id); break;
      case Type::kBool: read.Bool(setting.id); break;
      case Type::kDuration: read.Duration(setting.id); break;
      case Type::kAddress: read.ListenAddress(setting.id); break;
      case Type::kChoice: read.Choice(setting.id); break;
      case Type::kString:
      case Type::kPath: read.Text(setting.id); break;
    }
  }
  EXPECT_TRUE(errors.empty()) << errors.front().setting;
}

TEST(SettingsTable, IsTheReferencePageOfTheDocumentation) {
  const auto page = ReadLocalFile(PLIMSOLL_SOURCE_DIR "/docs/reference/settings.md", 1024 * 1024);
  ASSERT_TRUE(page.has_value()) << base::TextOf(page.error());
  EXPECT_EQ(page->content, ReferencePage()) << "run: plimsolld settings-reference > docs/reference/settings.md";
}

TEST(SettingsReader, D5_RefusesEveryBadWholeNumberOfEverySetting) {
  for (const Setting& setting : Settings()) {
    if (setting.type != Type::kInt && setting.type != Type::kMegabytes) {
      continue;
    }
    for (const char* bad : {"abc", "1e3", "0x10", "9223372036854775808", "\xD9\xA3", "-1"}) {
      const Environment environment = {{std::string(setting.name), bad}};
      std::vector<StartError> errors;
      EXPECT_FALSE(SettingsReader(environment, errors).Int(setting.id)) << setting.name << "=" << bad;
      ASSERT_EQ(errors.size(), 1U);
      EXPECT_EQ(errors[0].setting, setting.name);
    }
  }
}

TEST(SettingsReader, TakesABlankValueForUnset) {
  const Environment environment = {
      {"SANDBOX_MAX_CONCURRENT", "  "}, {"PLIMSOLL_HARDENED", ""}, {"PLIMSOLL_TOKEN", " "}};
  std::vector<StartError> errors;
  SettingsReader read(environment, errors);
  EXPECT_EQ(read.Int(Id::kMaxConcurrent), 8);
  EXPECT_FALSE(read.Bool(Id::kHardened));
  EXPECT_EQ(read.Text(Id::kToken), " ");  // a string is taken as it is
  EXPECT_TRUE(errors.empty());
}

TEST(SettingsReader, TakesTheFirstOfANameGivenTwice) {
  const Environment environment = {{"SANDBOX_PROVIDER", " WASM "}, {"SANDBOX_PROVIDER", "docker"}};
  std::vector<StartError> errors;
  EXPECT_EQ(SettingsReader(environment, errors).Choice(Id::kProvider), "wasm");
}

TEST(Environment, D4_ListsUnknownNamesSorted) {
  const Environment environment = {{"SANDBOX_MAX_CONCURENT", "4"},
                                   {"PLIMSOLL_ADDR", ":1"},
                                   {"PATH", "/bin"},
                                   {"PLIMSOLL_X", "1"},
                                   {"PLIMSOLL_X", "2"},
                                   {"SANDBOX_PROVIDERS", "a"}};
  EXPECT_EQ(UnknownNames(environment),
            (std::vector<std::string>{"PLIMSOLL_X", "SANDBOX_MAX_CONCURENT", "SANDBOX_PROVIDERS"}));
}

}  // namespace
}  // namespace plimsoll::daemon
