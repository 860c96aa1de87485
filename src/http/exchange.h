// SPDX-License-Identifier: Apache-2.0
// HttpExchange turns a received request into an answer: httplib parses the request's line and writes the answer. It is
// the one place that knows httplib.
//
// The connections and bodies of httplib 0.11's server are not used. It gives a thread to every open connection, also to
// one that is silent or sends a byte every few seconds; it bounds neither the length of a line that has no end nor the
// number of headers; it inflates compressed bodies of any size, and hands headers of ranges and forms to std::regex,
// which recurses by character.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "http/request_reader.h"
#include "http/server.h"

namespace verbund {

// Sends all of it and empties it; false if the client has gone.
using SendNow = std::function<bool(std::string& bytes)>;

struct Answered {
  std::string rest;         // of the answer, still to be sent
  bool keeps_open = false;  // the connection may have another request
};

class HttpExchange {
 public:
  // `handle` is called in any thread. `idle_seconds` is told to clients.
  HttpExchange(HttpHandler handle, double idle_seconds);
  ~HttpExchange();

  // `closes`: tells the client that this is the last answer. A streamed answer goes through `send`.
  Answered answer(ReceivedRequest request, bool closes, const SendNow& send);

  // The answer to a request that cannot be read.
  static std::string refusal(int status);

 private:
  class Formatter;
  std::unique_ptr<Formatter> formatter_;
};

}  // namespace verbund
