// How bytes get from worker to worker. Everything that workers do together is made of messages that are under way while
// others are, so a new way between workers (threads, MPI, another library) is one small class.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "control/telemetry.h"

namespace verbund {

// Of one thread only.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Start a message; its memory must stay as it is until it is done. `under_way` is one more from now on, and one less
  // when that is so. Messages between two workers with the same tag keep their order, and both sides know their sizes.
  virtual void send(int to, int tag, std::span<const std::byte> data, int& under_way) = 0;
  virtual void receive(int from, int tag, std::span<std::byte> data, int& under_way) = 0;
  // Looks after all messages that are under way. True if one is done.
  virtual bool progress() = 0;
  // Leaves the processor to others for a moment, or until a message comes; shorter where that is not known.
  virtual void pause(std::chrono::nanoseconds longest) = 0;

  // Workers with the same text are on one host: they share memory.
  virtual std::string host() const = 0;
  // Memory of a host that several of its workers see: one makes it under a name that is new, the others find it, null
  // if they cannot; then its name may go. It begins as zeros.
  virtual std::shared_ptr<std::byte> make_shared_memory(const std::string& name, size_t bytes) = 0;
  virtual std::shared_ptr<std::byte> find_shared_memory(const std::string& name, size_t bytes) = 0;
  virtual void unname_shared_memory(const std::string& name) = 0;

  // Where all of them leave messages for worker 0, if they are threads of one process; none otherwise.
  virtual std::shared_ptr<TelemetryReceiver> shared_receiver() const { return nullptr; }

  // A friendly end, of all workers together. Without it the destructor just leaves.
  virtual void close() {}
};

}  // namespace verbund
