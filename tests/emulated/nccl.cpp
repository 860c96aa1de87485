// SPDX-License-Identifier: Apache-2.0
// The emulated NCCL: communicators. Ranks are processes of this machine or threads of one. (Collectives are in
// nccl_collectives.cpp.)
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>

#include "emulated/communicator.h"
#include "emulated/messages.h"

namespace verbund::cuda {

struct ncclComm {};  // an address, and all that a program knows

}  // namespace verbund::cuda

namespace emulated {

using namespace verbund::cuda;

namespace {

constexpr int kMaxRanks = 64;

std::mutex mutex;
std::map<ncclComm_t, std::shared_ptr<Communicator>> communicators;
std::string last_error;

// NCCL refuses two ranks on one GPU. Which host a rank is on may be said by NCCL_HOSTID, as for NCCL, where one machine
// plays several.
std::string find_shared_gpu(RankMeeting& meeting, int device) {
  const char* host = std::getenv("NCCL_HOSTID");
  const auto where = static_cast<int64_t>(std::hash<std::string>()(host == nullptr ? "" : host));
  meeting.meet({.number = -1, .count = where, .kind = -1, .type = 0, .operation = 0, .root = device});
  std::string found;
  for (int a = 0; a < meeting.ranks(); ++a) {
    for (int b = a + 1; b < meeting.ranks(); ++b) {
      if (std::memcmp(&meeting.call(a), &meeting.call(b), sizeof(Call)) != 0 || !found.empty()) continue;
      found =
          fmt::format("ranks {} and {} both use device {}, and NCCL wants one for each (NCCL_HOSTID tells hosts apart)",
                      a, b, meeting.call(a).root);
    }
  }
  meeting.next_round();
  return found;
}

}  // namespace

ncclComm_t add_communicator(std::shared_ptr<Communicator> communicator) {
  const std::lock_guard lock(mutex);
  auto* comm = new ncclComm;
  communicators.emplace(comm, std::move(communicator));
  return comm;
}

std::shared_ptr<Communicator> find_communicator(ncclComm_t comm) {
  const std::lock_guard lock(mutex);
  const auto found = communicators.find(comm);
  return found == communicators.end() ? nullptr : found->second;
}

std::shared_ptr<Communicator> remove_communicator(ncclComm_t comm) {
  const std::lock_guard lock(mutex);
  const auto found = communicators.find(comm);
  if (found == communicators.end()) return nullptr;
  std::shared_ptr<Communicator> communicator = found->second;
  communicators.erase(found);
  delete comm;
  return communicator;
}

ncclResult_t refuse(ncclResult_t result, const std::string& message) {
  say(message);
  const std::lock_guard lock(mutex);
  last_error = message;
  return result;
}

}  // namespace emulated

namespace verbund::cuda {

using namespace emulated;

ncclResult_t ncclGetVersion(int* version) {
  if (version == nullptr) return refuse(ncclInvalidArgument, "ncclGetVersion: there is no place for it");
  *version = 22605;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  if (id == nullptr) return refuse(ncclInvalidArgument, "ncclGetUniqueId: there is no place for it");
  std::memset(id->internal, 0, sizeof(id->internal));
  const std::string name = RankMeeting::new_name();
  name.copy(id->internal, sizeof(id->internal) - 1);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  if (comm == nullptr) return refuse(ncclInvalidArgument, "ncclCommInitRank: there is no place for it");
  *comm = nullptr;
  if (ranks < 1 || ranks > kMaxRanks || rank < 0 || rank >= ranks) {
    return refuse(ncclInvalidArgument,
                  fmt::format("ncclCommInitRank: rank {} of {} (at most {})", rank, ranks, kMaxRanks));
  }
  const std::string name(id.internal, ::strnlen(id.internal, sizeof(id.internal)));
  if (!RankMeeting::is_name(name)) {
    return refuse(ncclInvalidArgument, "ncclCommInitRank: the id is not one of ncclGetUniqueId");
  }
  if (in_group()) return refuse(ncclInvalidUsage, "ncclCommInitRank: the double does not know it in a group");
  const CUcontext context = current_context();
  if (context == nullptr) return refuse(ncclUnhandledCudaError, "ncclCommInitRank: this thread has no context");
  try {
    auto communicator = std::make_shared<Communicator>(name, ranks, rank, context);
    const std::string shared_gpu = find_shared_gpu(communicator->meeting, device_of(context));
    if (!shared_gpu.empty()) return refuse(ncclInvalidUsage, "ncclCommInitRank: " + shared_gpu);
    *comm = add_communicator(std::move(communicator));
    return ncclSuccess;
  } catch (const std::runtime_error& error) {
    return refuse(ncclSystemError, fmt::format("ncclCommInitRank: {}", error.what()));
  }
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (comm == nullptr) return ncclSuccess;
  if (!remove_communicator(comm)) return refuse(ncclInvalidArgument, "ncclCommDestroy: this is not a communicator");
  return ncclSuccess;
}

// From any thread. What waits for other ranks ends; as with NCCL, the stream goes on without an error, and what was to
// be received is undefined: NaN here.
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  if (comm == nullptr) return ncclSuccess;
  const std::shared_ptr<Communicator> communicator = remove_communicator(comm);
  if (!communicator) return refuse(ncclInvalidArgument, "ncclCommAbort: this is not a communicator");
  communicator->meeting.stop();
  const char* debug = std::getenv("NCCL_DEBUG");
  if (debug != nullptr && std::string_view(debug) == "INFO") {
    say("NCCL INFO comm of rank {} - Abort COMPLETE", communicator->meeting.rank());
  }
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  const std::shared_ptr<Communicator> communicator = find_communicator(comm);
  if (!communicator || error == nullptr) {
    return refuse(ncclInvalidArgument, "ncclCommGetAsyncError: no communicator, or no place for the error");
  }
  *error = communicator->error;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclSystemError:
      return "unhandled system error";
    case ncclInternalError:
      return "internal error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
  }
  return "unknown result code";
}

const char* ncclGetLastError(ncclComm_t) {
  static thread_local std::string copy;
  const std::lock_guard lock(mutex);
  copy = last_error;
  return copy.c_str();
}

}  // namespace verbund::cuda
