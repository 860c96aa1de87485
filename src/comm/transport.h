// How bytes get from worker to worker. Everything that workers do together is made of one
// operation, so a new way between them (threads, MPI, another library) is one small class.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "comm/inbox.h"

namespace verbund {

struct Outgoing {
  int to;
  std::span<const std::byte> data;
};

struct Incoming {
  int from;
  std::span<std::byte> data;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Sends and receives all of these at the same time; returns when all is done. Between two
  // workers messages keep their order, and both sides know their sizes. Of one thread only.
  virtual void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) = 0;

  // Where all of them leave messages for worker 0, if they are threads of one process; none otherwise.
  virtual std::shared_ptr<Inbox> shared_inbox() const { return nullptr; }

  // A friendly end, of all workers together. Without it the destructor just leaves.
  virtual void close() {}
};

// The only worker.
class LoneTransport final : public Transport {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void exchange(std::span<const Outgoing>, std::span<const Incoming>) override {}
};

}  // namespace verbund
