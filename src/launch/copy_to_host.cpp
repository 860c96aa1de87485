// SPDX-License-Identifier: Apache-2.0
#include "launch/copy_to_host.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <set>
#include <sstream>

#include "core/error.h"
#include "core/file.h"
#include "core/human.h"

namespace verbund {
namespace {

constexpr std::string_view kAnswerMark = "verbund-copy:";  // a login may print other lines
constexpr std::string_view kWhole = "whole";
constexpr int kAgentFailed = 255;              // of ssh
constexpr size_t kLongestQuestion = 32 << 10;  // bytes; Linux allows 128 KiB in an argument, and agents quote it

// Exit codes of the script that receives a file.
enum ReceiveCode { kReceived = 0, kCannotWrite = 11, kMoved = 12, kBrokenOff = 13, kDamaged = 14, kCannotFinish = 15 };

std::string quoted(const std::string& text) { return shell_line({text}); }

// Has the digest in its name: the rest of another content is never continued. And the host: several may share a disk.
std::string partial_name(const CopyFile& file, const std::string& host) {
  return fmt::format("{}.{}.{}{}", file.path.string(), host, file.sha256.substr(0, 12), kPartialEnding);
}

// The script prints a line per file: whole, or the size of the part that is there.
std::string begin_of_question(const fs::path& folder) {
  return fmt::format(
      "mkdir -p {} || exit 1\n"
      "ask() {{\n"
      "  if [ \"$(stat -L -c %s \"$3\" 2> /dev/null)\" = \"$1\" ] &&\n"
      "     [ \"$(sha256sum < \"$3\" | cut -c 1-64)\" = \"$2\" ]; then echo '{} {}'\n"
      "  else part=$(stat -c %s \"$4\" 2> /dev/null); echo \"{} ${{part:-0}}\"; fi\n"
      "}}\n",
      quoted(folder), kAnswerMark, kWhole, kAnswerMark);
}

std::string question_of(const CopyFile& file, const std::string& host) {
  return fmt::format("ask {} {} {} {}\n", file.size, file.sha256, quoted(file.path), quoted(partial_name(file, host)));
}

// Takes the rest of the file from stdin. With the first new file of a dataset, the old one is none any more. If the
// file has arrived in the meantime, on a disk that hosts share, nothing is touched.
std::string receive_script(const CopyFile& file, const std::string& host, uint64_t offset) {
  return fmt::format(
      "path={} part={} manifest={}\n"
      "mkdir -p {} || exit {}\n"
      "for old in \"$path\".{}.????????????.partial; do [ \"$old\" = \"$part\" ] || rm -f \"$old\"; done\n"
      "there=$(stat -c %s \"$part\" 2> /dev/null)\n"
      "[ \"${{there:-0}}\" = {} ] || exit {}\n"
      "cat >> \"$part\" || exit {}\n"
      "[ \"$(stat -c %s \"$part\")\" -ge {} ] || exit {}\n"
      "[ \"$(sha256sum < \"$part\" | cut -c 1-64)\" = {} ] || {{ rm -f \"$part\"; exit {}; }}\n"
      "if [ -e \"$path\" ] && [ \"$(sha256sum < \"$path\" | cut -c 1-64)\" = {} ]; then rm -f \"$part\"; exit 0; fi\n"
      "chmod {} \"$part\" && sync \"$part\" && {{ [ -z \"$manifest\" ] || rm -f \"$manifest\"; }} &&\n"
      "  mv -f \"$part\" \"$path\" || exit {}\n",
      quoted(file.path), quoted(partial_name(file, host)), quoted(file.manifest), quoted(file.path.parent_path()),
      +kCannotWrite, host, offset, +kMoved, +kCannotWrite, file.size, +kBrokenOff, file.sha256, +kDamaged, file.sha256,
      file.executable ? "755" : "644", +kCannotFinish);
}

std::string last_lines(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  constexpr size_t kMax = 500;
  return text.size() > kMax ? text.substr(text.size() - kMax) : text;
}

}  // namespace

CopyToHost::CopyToHost(const Starter& starter, std::string host, const std::vector<CopyFile>& files,
                       const fs::path& folder)
    : starter_(starter), host_(std::move(host)), files_(files), folder_(folder) {
  ask_next();
}

// Some files at a time: a dataset may have many.
void CopyToHost::ask_next() {
  std::string question = begin_of_question(folder_);
  for (; asked_ < files_.size() && question.size() < kLongestQuestion; ++asked_) {
    question += question_of(files_[asked_], host_);
  }
  run(question);
}

void CopyToHost::run(const std::string& script, int input_file) {
  output_.clear();
  ChildOptions options;
  options.input_descriptor = input_file;
  process_ = std::make_unique<ChildProcess>(starter_.shell_on_host(host_, script), options);
}

std::optional<int> CopyToHost::poll() {
  output_ += process_->read(std::chrono::milliseconds(0));
  const std::optional<int> code = process_->exit_code();
  if (!code) return std::nullopt;
  for (std::string rest; !(rest = process_->read(std::chrono::milliseconds(0))).empty();) output_ += rest;
  process_.reset();
  return code;
}

bool CopyToHost::ask() {
  if (!process_) return false;
  const std::optional<int> code = poll();
  if (!code) return true;
  if (*code != 0) {
    fail_with(*code, "cannot be asked for its files");
    return false;
  }
  add_answers();
  if (asked_ < files_.size()) {
    ask_next();
    return true;
  }
  plan_tasks();
  return false;
}

void CopyToHost::add_answers() {
  std::istringstream lines(output_);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kAnswerMark)) answers_.push_back(line.substr(std::min(kAnswerMark.size() + 1, line.size())));
  }
}

void CopyToHost::plan_tasks() {
  if (answers_.size() != files_.size()) {
    return fail_with(1, fmt::format("told of {} files instead of {}", answers_.size(), files_.size()));
  }
  std::set<fs::path> removed;  // manifests
  for (size_t i = 0; i < files_.size(); ++i) {
    if (answers_[i] == kWhole && !removed.contains(files_[i].path)) continue;
    if (!files_[i].manifest.empty()) removed.insert(files_[i].manifest);
    uint64_t there = 0;
    std::from_chars(answers_[i].data(), answers_[i].data() + answers_[i].size(), there);
    tasks_.push_back({&files_[i], there});
    to_send_ += files_[i].size - std::min(there, files_[i].size);
    ++files_to_send_;
  }
}

bool CopyToHost::send() {
  if (!trouble_.empty()) return false;
  if (!process_) {
    if (tasks_.empty()) return false;
    begin_next();
    return true;
  }
  if (const std::optional<int> code = poll()) end_task(*code);
  return trouble_.empty() && (process_ || !tasks_.empty());
}

void CopyToHost::begin_next() {
  const Task& task = tasks_.front();
  input_ = std::make_unique<OpenFile>(task.file->path, O_RDONLY);
  const uint64_t offset = std::min(task.offset, task.file->size);
  if (!*input_ || ::lseek(input_->descriptor(), static_cast<off_t>(offset), SEEK_SET) < 0) {
    fail_errno("cannot read {}", task.file->path.string());
  }
  run(receive_script(*task.file, host_, task.offset), input_->descriptor());
}

void CopyToHost::end_task(int code) {
  const Task task = tasks_.front();
  input_.reset();
  if (code == kDamaged && !task.repeated) {  // also if the part that was there is of no use
    tasks_.front() = {task.file, 0, true};
    to_send_ += std::min(task.offset, task.file->size);
    return;
  }
  if (code != kReceived) {
    const std::string path = task.file->path.string();
    return fail_with(code, code == kCannotWrite ? fmt::format("cannot write {}", path)
                           : code == kMoved ? fmt::format("has another {} than a moment ago: is another copy running?",
                                                          partial_name(*task.file, host_))
                           : code == kBrokenOff ? fmt::format("did not get all of {}", path)
                           : code == kDamaged   ? fmt::format("got {} damaged, twice: the SHA-256 differs", path)
                           : code == kCannotFinish
                               ? fmt::format("cannot rename or sync {}", partial_name(*task.file, host_))
                               : fmt::format("was lost while {} was copied to it", path));
  }
  done_ += task.file->size - std::min(task.offset, task.file->size);
  tasks_.pop_front();
}

uint64_t CopyToHost::sent() const {
  if (!input_) return done_;
  // The agent reads the file by itself; its position is ours, too.
  const off_t at = ::lseek(input_->descriptor(), 0, SEEK_CUR);
  const uint64_t from = std::min(tasks_.front().offset, tasks_.front().file->size);
  return done_ + (at < 0 ? 0 : static_cast<uint64_t>(at) - from);
}

void CopyToHost::fail_with(int code, const std::string& what) {
  lost_ = code == kAgentFailed || code == kBrokenOff || code > 128;
  trouble_ = what;
  if (const std::string said = last_lines(output_); !said.empty()) trouble_ += ": " + said;
  tasks_.clear();
}

}  // namespace verbund
