#include "sessions/sessions.h"

#include <utility>

namespace plimsoll::sessions {

Sessions::Sessions(const Options& options, isolation::Floor operator_floor, provider::Provider& provider,
                   dispatch::Dispatcher& dispatcher, base::Random& random, base::LogSink& log)
    : operator_floor_(operator_floor), registry_(options, provider, dispatcher, random, log) {}

void Sessions::Open(OpenCall call, OpenDone done) {
  std::make_shared<Opening>(registry_, operator_floor_, std::move(call), std::move(done))->Start();
}

void Sessions::Run(std::shared_ptr<Session> session, dispatch::Call call, CalledDone done) {
  std::make_shared<Calling>(registry_, operator_floor_, std::move(session), std::move(call), std::move(done))->Start();
}

void Sessions::Close(std::shared_ptr<Session> session, Patience patience, CloseDone done) {
  std::make_shared<Closing>(registry_, std::move(session), std::move(patience), std::move(done))->Start();
}

}  // namespace plimsoll::sessions
