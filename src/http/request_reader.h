// SPDX-License-Identifier: Apache-2.0
// RequestReader cuts the bytes of a connection into requests: head and body, within bounds. It refuses whatever two
// readers could understand differently: repeated lengths, folded lines, stray line ends, coded bodies.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace verbund {

struct ReceivedRequest {
  std::string line;                            // "GET /a?b=c HTTP/1.1"
  std::map<std::string, std::string> headers;  // names in lower case, values without blanks around them
  std::string body;
};

class RequestReader {
 public:
  RequestReader(size_t max_head, size_t max_body) : max_head_(max_head), max_body_(max_body) {}

  void add(std::string_view bytes);

  bool is_complete() const { return has_head_ && refusal_ == 0 && bytes_.size() >= length_; }
  bool is_untouched() const { return !has_head_ && bytes_.empty(); }  // no byte of the next request has arrived
  int refusal() const { return refusal_; }                            // the status to refuse it with; 0: none
  // The client waits for "100 Continue" before it sends the body. True once.
  bool wants_continue();
  // The complete request. What has arrived of the next one stays.
  ReceivedRequest take();

 private:
  void read_head();
  int parse_head(std::string_view head);
  int parse_header(std::string_view line);
  int check_headers();

  size_t max_head_, max_body_;
  std::string bytes_;  // of the head, and then of the body and what follows
  bool has_head_ = false;
  bool told_to_continue_ = false;
  size_t blank_ = 0;     // bytes of line ends before the head
  size_t searched_ = 0;  // of bytes_, for the end of the head
  size_t length_ = 0;    // of the body
  int refusal_ = 0;
  ReceivedRequest request_;
};

}  // namespace verbund
