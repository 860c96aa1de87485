// SPDX-License-Identifier: Apache-2.0
#include "http/request_reader.h"

#include <algorithm>
#include <charconv>

namespace verbund {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr size_t kMaxHeaders = 100;
constexpr size_t kMaxBlank = 8;        // bytes
constexpr size_t kLongestLine = 8000;  // what httplib reads of a line

bool is_token_character(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_letter || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_control_character(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// METHOD TARGET HTTP/1.x, with one blank between them.
int check_request_line(std::string_view line) {
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || line.find(' ', first + 1) != last) return 400;
  const std::string_view method = line.substr(0, first), version = line.substr(last + 1);
  if (method.empty() || !std::all_of(method.begin(), method.end(), is_token_character)) return 400;
  if (line[first + 1] != '/' && line.substr(first + 1, last - first - 1) != "*") return 400;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return version.starts_with("HTTP/") ? 505 : 400;
  return 0;
}

}  // namespace

void RequestReader::add(std::string_view bytes) {
  if (refusal_ != 0) return;
  bytes_ += bytes;
  if (!has_head_) read_head();
}

void RequestReader::read_head() {
  size_t blank = 0;  // some clients end a body with a line end too many
  while (std::string_view(bytes_).substr(blank).starts_with(kLineEnd)) blank += kLineEnd.size();
  bytes_.erase(0, blank);
  blank_ += blank;
  if (blank_ > kMaxBlank) {
    refusal_ = 400;
    return;
  }
  const size_t end = bytes_.find(kHeadEnd, std::max(searched_, kHeadEnd.size()) - kHeadEnd.size());
  if (end == std::string::npos ? bytes_.size() > max_head_ : end > max_head_) {
    refusal_ = 431;
    return;
  }
  searched_ = bytes_.size();
  if (end == std::string::npos) return;
  refusal_ = parse_head(std::string_view(bytes_).substr(0, end));
  if (refusal_ != 0) return;
  bytes_.erase(0, end + kHeadEnd.size());
  has_head_ = true;
}

int RequestReader::parse_head(std::string_view head) {
  size_t headers = 0;
  for (bool first = true; first || !head.empty(); first = false) {
    const size_t end = std::min(head.find(kLineEnd), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + kLineEnd.size(), head.size()));
    if (line.size() > kLongestLine) return first ? 414 : 431;
    if (std::any_of(line.begin(), line.end(), is_control_character)) return 400;
    if (first) request_.line = line;
    if (!first && ++headers > kMaxHeaders) return 431;
    const int problem = first ? check_request_line(line) : parse_header(line);
    if (problem != 0) return problem;
  }
  return check_headers();
}

int RequestReader::parse_header(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return 400;
  const std::string_view name = line.substr(0, colon);
  if (!std::all_of(name.begin(), name.end(), is_token_character)) return 400;
  const auto [place, is_new] = request_.headers.emplace(lower_case(name), without_blanks(line.substr(colon + 1)));
  if (is_new) return 0;
  if (place->first == "host" || place->first == "content-length" || place->first == "authorization") return 400;
  place->second += place->first == "cookie" ? "; " : ", ";
  place->second += without_blanks(line.substr(colon + 1));
  return 0;
}

int RequestReader::check_headers() {
  if (request_.headers.contains("transfer-encoding")) return 411;  // the length of a body is told before it
  const auto coding = request_.headers.find("content-encoding");
  if (coding != request_.headers.end() && coding->second != "identity") return 415;
  length_ = 0;
  const auto length = request_.headers.find("content-length");
  if (length == request_.headers.end()) return 0;
  const std::string& digits = length->second;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length_);
  if (error == std::errc::result_out_of_range) return 413;
  if (error != std::errc() || rest != digits.data() + digits.size()) return 400;
  return length_ > max_body_ ? 413 : 0;
}

bool RequestReader::wants_continue() {
  if (!has_head_ || told_to_continue_ || refusal_ != 0 || bytes_.size() >= length_) return false;
  const auto expect = request_.headers.find("expect");
  if (expect == request_.headers.end() || lower_case(expect->second) != "100-continue") return false;
  return told_to_continue_ = true;
}

ReceivedRequest RequestReader::take() {
  ReceivedRequest request = std::move(request_);
  request.body = bytes_.substr(0, length_);
  std::string rest = bytes_.substr(length_);
  *this = RequestReader(max_head_, max_body_);
  add(rest);
  return request;
}

}  // namespace verbund
