#pragma once

#include "base/result.h"
#include "plimsoll/x1/x1.pb.h"
#include "provider/provider.h"

// The answers of plimsoll.x1: what a provider states, in the words of the wire.
namespace plimsoll::rpc {

// What this daemon can do with this provider.
x1::CapabilitiesResponse CapabilitiesOf(const provider::Provider& provider);

// The probe report of this digest, the one in force for an empty digest. Refuses kUnsupported where the provider has no
// battery, kEvidenceUnknown for another digest.
base::Result<x1::ProbeReportResponse> ProbeReportOf(const provider::Provider& provider,
                                                    const x1::ProbeReportRequest& request);

}  // namespace plimsoll::rpc
