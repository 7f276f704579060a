#pragma once

#include <optional>

#include "clients/cpp/check.h"
#include "records/annex.h"

// The checks of an annex that was asked for (CLI-9). Each gives the data loss of the first that fails,
// kEvidenceMismatch, which is never marked: a daemon that contradicts itself has proved nothing.
namespace plimsoll::client {

// The annex of an answer, where there is one, after its record has checked.
std::optional<Error> CheckAnswerAnnex(const Sent& sent, const RunAnswer& answer);

// The annex of an error: its ending agrees with the error's code and mark, and beside a mark stands nothing else.
// `unanswered` is the record that the error brought and that has checked, or null.
std::optional<Error> CheckErrorAnnex(const Sent& sent, const Error& error, const records::Annex& annex,
                                     const records::Record* unanswered);

// An error with the annex it brought, in the terms of the public headers, or the data loss that takes its place.
Error WithAnnex(const Sent& sent, Error error, std::optional<records::Annex> annex, const records::Record* unanswered);

}  // namespace plimsoll::client
