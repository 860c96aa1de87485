// SPDX-License-Identifier: Apache-2.0
// CopyToHost brings files to one host, through the same agent that reaches it for the job (ssh). It asks the host which
// files it has, by size and SHA-256, and sends the others. A file arrives as PATH.HOST.DIGEST.partial, is verified
// there, synced and renamed: it is whole or absent. A dataset that changes has no manifest until all its files are
// there. What was broken off is continued by the next CopyToHost.
//
// The host needs a POSIX shell and coreutils (stat, sha256sum, cat, sync, mv).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/child_process.h"
#include "core/file_system.h"
#include "launch/copy_list.h"
#include "launch/starter.h"

namespace verbund {

class CopyToHost {
 public:
  // `folder`: is made on the host; workers start there. `files` must live as long as this object.
  CopyToHost(const Starter& starter, std::string host, const std::vector<CopyFile>& files,
             const std::filesystem::path& folder);

  const std::string& host() const { return host_; }

  // Asks the host in the background, then sends one file after the other. Each call does what can be done at once.
  // False when the answer has come or everything is done, or after an error.
  bool ask();
  bool send();

  uint64_t to_send() const { return to_send_; }  // bytes; known after ask()
  uint64_t sent() const;                         // of these
  size_t files_to_send() const { return files_to_send_; }

  const std::string& trouble() const { return trouble_; }  // "": none
  bool lost() const { return lost_; }                      // the connection failed: another try continues

 private:
  struct Task {
    const CopyFile* file;
    uint64_t offset;
    bool repeated = false;  // it has arrived damaged once
  };

  void run(const std::string& script, int input_file = -1);
  std::optional<int> poll();
  void ask_next();
  void add_answers();
  void plan_tasks();
  void begin_next();
  void end_task(int code);
  void fail_with(int code, const std::string& what);

  const Starter& starter_;
  const std::string host_;
  const std::vector<CopyFile>& files_;
  const std::filesystem::path folder_;
  size_t asked_ = 0;                  // files
  std::vector<std::string> answers_;  // of these, in their order
  std::unique_ptr<ChildProcess> process_;
  std::string output_;
  std::deque<Task> tasks_;  // the first is being sent
  std::unique_ptr<OpenFile> input_;
  uint64_t to_send_ = 0, done_ = 0;
  size_t files_to_send_ = 0;
  std::string trouble_;
  bool lost_ = false;
};

}  // namespace verbund
