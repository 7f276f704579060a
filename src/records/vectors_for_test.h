#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "records/record.h"

// The golden vectors of tests/vectors/records.json, for tests. A reader of its own, lenient and apart from every reader
// that ships, so that a fault of one does not hide in the other.
namespace plimsoll::records {

// The cases of one group, in the order of the file. Aborts when there is none.
std::vector<nlohmann::json> VectorsOf(std::string_view group);
// The same of tests/vectors/records-ext.json.
std::vector<nlohmann::json> ExtensionVectorsOf(std::string_view group);

// A request, a result and a record from proto3 JSON, either spelling of names.
run::Draft DraftFromVector(const nlohmann::json& request);
run::Result ResultFromVector(const nlohmann::json& response);
Record RecordFromVector(const nlohmann::json& record);

}  // namespace plimsoll::records
