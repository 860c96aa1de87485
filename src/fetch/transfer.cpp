// SPDX-License-Identifier: Apache-2.0
#include "fetch/transfer.h"

#include <curl/curl.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>

#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/progress.h"

namespace verbund {
namespace {

// Thrown if a further attempt may help.
struct BrokenTransfer {
  std::string reason;
};

// One attempt. The callbacks are called from C, so their exceptions are kept and rethrown after curl_easy_perform.
class Transfer {
 public:
  Transfer(const DownloadRequest& request, const DownloadOptions& options, PartialFile& partial)
      : request_(request), partial_(partial), curl_(curl_easy_init(), curl_easy_cleanup) {
    if (curl_ == nullptr) fail("cannot start libcurl");
    check_local_source();
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https,file");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 10L);
    set(CURLOPT_USERAGENT, "verbund");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT, long{options.connect_timeout});
    set(CURLOPT_LOW_SPEED_LIMIT, long{options.stall_speed});
    set(CURLOPT_LOW_SPEED_TIME, long{options.stall_timeout});
    set(CURLOPT_ERRORBUFFER, message_);
    set(CURLOPT_WRITEFUNCTION, &on_bytes);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &on_progress);
    set(CURLOPT_XFERINFODATA, this);
    if (partial.can_resume()) {
      // CURLOPT_RANGE and not RESUME_FROM, which fails if the server sends the whole file.
      set(CURLOPT_RANGE, fmt::format("{}-", partial.size()).c_str());
      headers_.reset(curl_slist_append(nullptr, ("If-Range: " + partial.version()).c_str()));
      set(CURLOPT_HTTPHEADER, headers_.get());
    }
  }

  Outcome run() try {
    const CURLcode code = curl_easy_perform(curl_.get());
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
    const std::string reason = message_[0] != 0 ? message_ : curl_easy_strerror(code);
    if (is_transient(code)) throw BrokenTransfer{reason};
    if (code != CURLE_OK) give_up(reason);

    const long status = response_code();
    if (status >= 500 || status == 408 || status == 429) {
      curl_off_t seconds = 0;
      curl_easy_getinfo(curl_.get(), CURLINFO_RETRY_AFTER, &seconds);
      return {.reason = fmt::format("the server returned {}", status), .wait = static_cast<double>(seconds)};
    }
    if (status == 416 && partial_.size() > 0) return nothing_left();
    if (!is_content(status)) give_up("the server returned " + describe(status));
    if (!begun_) begin();  // an empty file has no first byte
    return {.done = true};
  } catch (const BrokenTransfer& broken) {
    return {.reason = broken.reason};
  }

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    if (curl_easy_setopt(curl_.get(), option, value) != CURLE_OK) {
      fail("libcurl refuses option {} for {}", static_cast<int>(option), request_.url);
    }
  }

  static size_t on_bytes(char* bytes, size_t, size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    if (!is_content(transfer.response_code())) return count;  // the text of an error page
    const bool ok = transfer.guarded([&] {
      if (!transfer.begun_) transfer.begin();
      transfer.check_limit(count);
      transfer.partial_.append({bytes, count});
    });
    return ok ? count : 0;
  }

  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    auto& transfer = *static_cast<Transfer*>(self);
    const bool ok = transfer.guarded([&] {
      check_interrupt();
      if (transfer.progress_) transfer.progress_->update(transfer.partial_.size());
    });
    return ok ? 0 : 1;
  }

  template <typename Action>
  bool guarded(const Action& action) {
    try {
      action();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    return thrown_ == nullptr;
  }

  // Called when the headers of the response have arrived: decides where its bytes belong.
  void begin() {
    begun_ = true;
    uint64_t total = 0;
    if (response_code() == 206) {
      uint64_t first = 0, last = 0;
      const std::string range = header("Content-Range");
      const int fields = std::sscanf(range.c_str(), "bytes %" SCNu64 "-%" SCNu64 "/%" SCNu64, &first, &last, &total);
      if (fields < 2 || first != partial_.size()) {
        partial_.restart("", 0);
        throw BrokenTransfer{fmt::format("the server sent the wrong part (\"{}\")", range)};
      }
      if (total == 0) total = partial_.total();
      check_size(total, first);
      log("  resuming at {} of {}", human_bytes(first), total > 0 ? human_bytes(total) : "an unknown size");
    } else {
      curl_off_t length = -1;
      curl_easy_getinfo(curl_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
      if (length > 0) total = static_cast<uint64_t>(length);
      check_size(total, 0);
      if (partial_.size() > 0) log("  starting again: the file has changed, or the server does not support ranges");
      partial_.restart(version(), total);
    }
    limit_ = request_.size > 0 ? request_.size : total > 0 ? total : partial_.size() + free_space() / 10 * 9;
    progress_.emplace("download", total > 0 ? total : request_.size, "bytes");
  }

  // The server has no further bytes: the file is complete, or the server now has another, shorter one.
  Outcome nothing_left() {
    uint64_t total = 0;
    if (std::sscanf(header("Content-Range").c_str(), "bytes */%" SCNu64, &total) == 1 && total == partial_.size()) {
      return {.done = true};
    }
    partial_.restart("", 0);
    return {.reason = "the file on the server has become shorter"};
  }

  // Identifies this version of the file. A weak ETag only promises a similar one, and a local file is copied again.
  std::string version() const {
    if (response_code() == 0) return "";
    const std::string tag = header("ETag");
    return tag.starts_with('"') ? tag : header("Last-Modified");
  }

  // Fails before the download rather than after it.
  void check_size(uint64_t total, uint64_t arrived) const {
    if (total == 0) return;
    if (request_.size > 0 && total != request_.size) {
      fail(
          "{} has {} bytes on the server but should have {}: it is another version of the file.\n"
          "Correct its size and checksums in {} if you want this version.",
          request_.url, total, request_.size, listed_in());
    }
    const uint64_t needed = total - arrived, free = free_space();
    if (free < needed) {
      fail("cannot download {}: it needs {} more, but {} has only {} free. Free some space and start again.",
           request_.url, human_bytes(needed), folder().string(), human_bytes(free));
    }
  }

  // Stops a server that sends too much, and keeps nothing of it.
  void check_limit(uint64_t more) {
    const uint64_t arrived = partial_.size() + more;
    if (arrived <= limit_) return;
    partial_.restart("", 0);
    if (request_.size > 0) {
      fail(
          "{} has at least {} bytes but should have {}: the download was stopped and dropped.\n"
          "Correct its size in {} if you want this file.",
          request_.url, arrived, request_.size, listed_in());
    }
    fail(
        "{} has sent {} without announcing a size, and {} has {} free: the download was stopped and dropped.\n"
        "Free some space, or give its size in {}.",
        request_.url, human_bytes(arrived), folder().string(), human_bytes(free_space()), listed_in());
  }

  fs::path folder() const { return fs::absolute(partial_.path()).parent_path(); }
  uint64_t free_space() const { return fs::space(folder()).available; }

  // A device or a pipe may never end, or never begin.
  void check_local_source() const {
    const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), curl_url_cleanup);
    const auto part = [&](CURLUPart which) {
      char* text = nullptr;
      const CURLUcode code = curl_url_get(url.get(), which, &text, CURLU_URLDECODE);
      const std::unique_ptr<char, decltype(&curl_free)> owned(text, curl_free);
      return code == CURLUE_OK ? std::string(text) : std::string();
    };
    if (curl_url_set(url.get(), CURLUPART_URL, request_.url.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) return;
    if (part(CURLUPART_SCHEME) != "file") return;
    const fs::path path = part(CURLUPART_PATH);
    if (fs::exists(path) && !fs::is_regular_file(path)) {
      fail("{} is not a regular file. Change its url in {}.", request_.url, listed_in());
    }
  }

  [[noreturn]] void give_up(const std::string& reason) const {
    const char* address = nullptr;
    curl_easy_getinfo(curl_.get(), CURLINFO_EFFECTIVE_URL, &address);
    const bool redirected = address != nullptr && request_.url != address && response_code() != 0;
    fail(
        "cannot download {}{}: {}.\n"
        "If the file has moved, change its url in {}; or download it by other means and put it at {}",
        request_.url, redirected ? fmt::format(" (redirected to {})", address) : "", reason, listed_in(),
        request_.path.string());
  }

  std::string listed_in() const { return request_.listed_in.empty() ? "the manifest" : request_.listed_in; }

  long response_code() const {  // 0 for file://
    long status = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
  }

  std::string header(const char* name) const {
    curl_header* found = nullptr;  // of the last response, after all redirections
    return curl_easy_header(curl_.get(), name, 0, CURLH_HEADER, -1, &found) == CURLHE_OK ? found->value : "";
  }

  static bool is_content(long status) { return status == 0 || status == 200 || status == 206; }

  static std::string describe(long status) {
    const char* name = status == 401   ? " (password required)"
                       : status == 403 ? " (forbidden)"
                       : status == 404 ? " (no such file)"
                       : status == 410 ? " (the file is gone)"
                                       : "";
    return std::to_string(status) + name;
  }

  static bool is_transient(CURLcode code) {
    switch (code) {
      case CURLE_COULDNT_RESOLVE_PROXY:
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_CONNECT:
      case CURLE_PARTIAL_FILE:
      case CURLE_OPERATION_TIMEDOUT:
      case CURLE_SSL_CONNECT_ERROR:
      case CURLE_GOT_NOTHING:
      case CURLE_SEND_ERROR:
      case CURLE_RECV_ERROR:
      case CURLE_HTTP2:
      case CURLE_HTTP2_STREAM:
      case CURLE_WEIRD_SERVER_REPLY:
        return true;
      default:
        return false;
    }
  }

  const DownloadRequest& request_;
  PartialFile& partial_;
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers_{nullptr, curl_slist_free_all};
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl_;
  char message_[CURL_ERROR_SIZE] = {};
  std::optional<Progress> progress_;
  std::exception_ptr thrown_;
  uint64_t limit_ = 0;  // most bytes of the whole file
  bool begun_ = false;
};

}  // namespace

Outcome transfer(const DownloadRequest& request, const DownloadOptions& options, PartialFile& partial) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (initialised != CURLE_OK) fail("cannot start libcurl: {}", curl_easy_strerror(initialised));
  return Transfer(request, options, partial).run();
}

}  // namespace verbund
