// The two bodies that are JSON. Each is one flat object in one form: keys in order, no space, strings that need no
// escape. What another form says is refused, so a body that is read encodes back to the same bytes (FRM-3).
#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <variant>

#include "base/base64.h"
#include "base/hex.h"
#include "frames/agent.h"
#include "frames/agent_paths.h"

namespace plimsoll::frames::agent {
namespace {

using nlohmann::json;

base::Fault Malformed(std::string detail) { return {base::FaultKind::kInternal, std::move(detail)}; }

struct List {
  std::vector<std::string>* texts;
  std::size_t most;
};
struct Field {
  std::string_view key;
  std::variant<std::string*, std::uint64_t*, List> value;
};

// Follows a flat object with the given fields and stops at the first event outside it, so that nothing is built from
// what is none.
class FlatReader final : public nlohmann::json_sax<json> {
 public:
  explicit FlatReader(std::span<const Field> fields) : fields_(fields) {}

  bool start_object(std::size_t /*size*/) override { return std::exchange(inside_, true) ? false : true; }
  bool end_object() override { return true; }
  bool key(string_t& name) override {
    field_ = std::find_if(fields_.begin(), fields_.end(), [&](const Field& field) { return field.key == name; });
    return field_ != fields_.end();
  }
  bool start_array(std::size_t /*size*/) override { return Slot<List>() != nullptr && !std::exchange(in_list_, true); }
  bool end_array() override {
    in_list_ = false;
    return true;
  }
  bool string(string_t& value) override {
    if (const List* list = in_list_ ? Slot<List>() : nullptr) {
      const bool room = list->texts->size() < list->most;
      return room ? (list->texts->push_back(std::move(value)), true) : false;
    }
    std::string* const* text = Slot<std::string*>();
    return text != nullptr ? (**text = std::move(value), true) : false;
  }
  bool number_unsigned(number_unsigned_t value) override {
    std::uint64_t* const* number = Slot<std::uint64_t*>();
    return number != nullptr ? (**number = value, true) : false;
  }
  bool null() override { return false; }
  bool boolean(bool /*value*/) override { return false; }
  bool number_integer(number_integer_t /*value*/) override { return false; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return false; }
  bool binary(binary_t& /*value*/) override { return false; }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/, const json::exception& /*error*/) override {
    return false;
  }

 private:
  template <typename Value>
  const Value* Slot() const {
    return inside_ && field_ != fields_.end() ? std::get_if<Value>(&field_->value) : nullptr;
  }

  std::span<const Field> fields_;
  std::span<const Field>::iterator field_ = fields_.end();
  bool inside_ = false;
  bool in_list_ = false;
};

bool ReadFlat(std::string_view body, std::span<const Field> fields) {
  FlatReader reader(fields);
  return json::sax_parse(body.begin(), body.end(), &reader);
}

// Writes the one form of a flat object. No text it is given needs an escape.
class FlatWriter {
 public:
  void Text(std::string_view key, std::string_view text) { Key(key).append("\"").append(text).append("\""); }
  void Number(std::string_view key, std::uint64_t number) { Key(key).append(std::to_string(number)); }
  void Coded(std::string_view key, const std::vector<std::string>& texts) {
    Key(key).push_back('[');
    for (const std::string& text : texts) {
      out_.append(&text == texts.data() ? "\"" : ",\"");
      out_.append(base::Base64Encode(text, base::Padding::kPadded)).append("\"");
    }
    out_.push_back(']');
  }
  std::string Finish() && { return std::move(out_.append("}")); }

 private:
  std::string& Key(std::string_view key) { return out_.append(out_.empty() ? "{\"" : ",\"").append(key).append("\":"); }
  std::string out_;
};

bool IsVersion(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
           c == '+';
  };
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), fits);
}

bool IsReady(const Ready& ready) {
  return IsVersion(ready.version) && base::IsLowerHex(ready.sha256, 64) && ready.pid > 0;
}

struct ListRule {
  std::string_view what;
  std::size_t most;       // entries
  std::size_t most_each;  // bytes of one
  std::size_t most_all;   // bytes of all
};
constexpr ListRule kArgvRule = {"argv", 64, 4096, 65536};
constexpr ListRule kStepsRule = {"steps", kMaxSteps, kMaxStepText, kMaxSteps* kMaxStepText};
constexpr ListRule kEnvironmentRule = {"environment", 512, 65536, 131072};
constexpr ListRule kArtifactsRule = {"artifacts", kMaxArtifacts, kMaxPath, kMaxArtifacts* kMaxPath};

base::Status CheckList(const ListRule& rule, const std::vector<std::string>& texts) {
  std::size_t all = 0;
  for (const std::string& text : texts) {
    all += text.size();
    if (text.empty() || text.size() > rule.most_each || text.find('\0') != std::string::npos) {
      return Malformed("a plan whose " + std::string(rule.what) + " holds an entry of " + std::to_string(text.size()) +
                       " bytes or one with a zero byte; an entry has 1 to " + std::to_string(rule.most_each));
    }
  }
  if (texts.size() > rule.most || all > rule.most_all) {
    return Malformed("a plan whose " + std::string(rule.what) + " has " + std::to_string(texts.size()) +
                     " entries of " + std::to_string(all) + " bytes; the most is " + std::to_string(rule.most) +
                     " of " + std::to_string(rule.most_all));
  }
  return base::Ok();
}

bool IsVariable(std::string_view text) { return text.find('=') != std::string_view::npos && text.front() != '='; }

bool IsDirectory(std::string_view text) {
  return text.empty() || (text.front() == '/' && text.size() <= 4096 && text.find('\0') == std::string_view::npos);
}

// The lists are base64: an environment may hold bytes that are no text, and JSON's escapes make a step of control
// characters six times as long, which no frame would hold.
bool DecodeAll(std::vector<std::string>& texts) {
  for (std::string& text : texts) {
    auto decoded = base::Base64Decode(text);
    if (!decoded) {
      return false;
    }
    text = *std::move(decoded);
  }
  return true;
}

}  // namespace

std::string EncodeReady(const Ready& ready) {
  PLIMSOLL_CHECK(IsReady(ready));
  FlatWriter writer;
  writer.Number("pid", static_cast<std::uint64_t>(ready.pid));
  writer.Text("sha256", ready.sha256);
  writer.Number("uid", ready.uid);
  writer.Text("version", ready.version);
  return std::move(writer).Finish();
}

base::Result<Ready> ParseReady(std::string_view body) {
  Ready ready;
  std::uint64_t pid = 0;
  std::uint64_t uid = 0;
  const std::array fields = {Field{"pid", &pid}, Field{"sha256", &ready.sha256}, Field{"uid", &uid},
                             Field{"version", &ready.version}};
  if (body.size() > kMaxIdentity || !ReadFlat(body, fields)) {
    return Malformed("an identity that is not the JSON of one");
  }
  ready.pid = pid <= INT32_MAX ? static_cast<std::int32_t>(pid) : 0;
  ready.uid = static_cast<std::uint32_t>(uid);
  if (!IsReady(ready) || EncodeReady(ready) != body) {
    return Malformed("an identity with a value outside its rule, or in another form");
  }
  return ready;
}

base::Status CheckPlan(const Plan& plan) {
  for (const auto& [rule, texts] :
       {std::pair{&kArgvRule, &plan.argv}, std::pair{&kStepsRule, &plan.steps},
        std::pair{&kEnvironmentRule, &plan.environment}, std::pair{&kArtifactsRule, &plan.artifacts}}) {
    if (auto checked = CheckList(*rule, *texts); !checked) {
      return checked;
    }
  }
  if (!std::all_of(plan.environment.begin(), plan.environment.end(), IsVariable)) {
    return Malformed("a plan with an environment entry that is not NAME=value");
  }
  if (!std::all_of(plan.artifacts.begin(), plan.artifacts.end(), IsPathBelow)) {
    return Malformed("a plan with an artifact path outside the rules");
  }
  if (!IsDirectory(plan.directory)) {
    return Malformed("a plan whose directory is not an absolute path");
  }
  return base::Ok();
}

std::string EncodePlan(const Plan& plan) {
  PLIMSOLL_CHECK(CheckPlan(plan).has_value());
  FlatWriter writer;
  writer.Coded("argv", plan.argv);
  writer.Number("artifact_cap", plan.artifact_cap);
  writer.Coded("artifacts", plan.artifacts);
  writer.Text("directory", base::Base64Encode(plan.directory, base::Padding::kPadded));
  writer.Coded("environment", plan.environment);
  writer.Coded("steps", plan.steps);
  writer.Number("stream_cap", plan.stream_cap);
  writer.Number("total_cap", plan.total_cap);
  return std::move(writer).Finish();
}

base::Result<Plan> ParsePlan(std::string_view body) {
  Plan plan;
  const std::array fields = {Field{"argv", List{&plan.argv, kArgvRule.most}},
                             Field{"artifact_cap", &plan.artifact_cap},
                             Field{"artifacts", List{&plan.artifacts, kArtifactsRule.most}},
                             Field{"directory", &plan.directory},
                             Field{"environment", List{&plan.environment, kEnvironmentRule.most}},
                             Field{"steps", List{&plan.steps, kStepsRule.most}},
                             Field{"stream_cap", &plan.stream_cap},
                             Field{"total_cap", &plan.total_cap}};
  const bool read = ReadFlat(body, fields) && DecodeAll(plan.argv) && DecodeAll(plan.artifacts) &&
                    DecodeAll(plan.environment) && DecodeAll(plan.steps);
  auto directory = base::Base64Decode(plan.directory);
  if (!read || !directory) {
    return Malformed("a plan that is not the JSON of one");
  }
  plan.directory = std::move(*directory);
  if (auto checked = CheckPlan(plan); !checked) {
    return checked.error();
  }
  if (EncodePlan(plan) != body) {
    return Malformed("a plan in another form");
  }
  return plan;
}

}  // namespace plimsoll::frames::agent
