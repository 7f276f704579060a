#include "provider/provider.h"

namespace plimsoll::provider {

void Provider::Open(OpenOrder /*order*/, OpenDone done) {
  done(base::Refusal{base::Rule::kUnsupported, "this provider keeps no sandbox between calls"});
}

}  // namespace plimsoll::provider
