// SPDX-License-Identifier: Apache-2.0
// walk_failures walks a writer through every failure: each of its calls to the file system fails in each way, on what
// an earlier call has made. Whatever happens, the earlier work is whole or the new one is, and calling again gives the
// bytes of an undisturbed call, without leftovers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/log.h"
#include "support/failing_file_system.h"
#include "support/temporary_folder.h"

namespace verbund {

// Every file, link and folder below, with its content.
using Tree = std::map<std::string, std::string>;

inline Tree tree_of(const std::filesystem::path& folder, const std::set<std::string>& unread = {}) {
  Tree tree;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (entry.is_symlink()) {
      tree[name] = "-> " + std::filesystem::read_symlink(entry.path()).string();
    } else {
      tree[name] = entry.is_directory() ? "folder" : unread.contains(name) ? "file" : slurp(entry.path());
    }
  }
  return tree;
}

// The names in which two trees differ.
inline std::string difference(const Tree& a, const Tree& b) {
  std::string names;
  for (const Tree* tree : {&a, &b}) {
    for (const auto& [name, content] : *tree) {
      const Tree& other = tree == &a ? b : a;
      const auto found = other.find(name);
      if (found == other.end()) names += name + (tree == &a ? " (only before) " : " (only after) ");
      if (tree == &a && found != other.end() && found->second != content) names += name + " (differs) ";
    }
  }
  return names;
}

struct FailureWalk {
  using Path = std::filesystem::path;
  std::function<void(const Path& folder)> prepare = [](const Path&) {};  // makes what was there before
  std::function<void(const Path& folder)> work;                          // the writer
  // What a failure has left must be. Without it: all as before, or all as after an undisturbed call, and only a kill,
  // or a removal that fails itself, may leave temporary files.
  std::function<void(const Path& folder, Failure failure)> check = nullptr;
  std::vector<Failure> failures = {std::begin(kFailures), std::end(kFailures)};
  std::set<std::string> unread = {};  // names of files that differ each time, by times in them
  bool exchanges = true;              // false: a file system on which two folders cannot change places
};

class FailureWalker {
 public:
  explicit FailureWalker(FailureWalk walk) : walk_(std::move(walk)) {
    make_anew();
    before_ = tree_of(folder_, walk_.unread);
    undisturbed(walk_.work, counting_);
    after_ = tree_of(folder_, walk_.unread);
  }

  // Returns how many failures were met.
  int run() {
    set_log_level(LogLevel::kWarning);
    const int calls = counting_.calls();
    int met = 0;
    for (int at = 1; at <= calls && !::testing::Test::HasFailure(); ++at) {
      for (const Failure failure : walk_.failures) {
        SCOPED_TRACE("call " + std::to_string(at) + " of " + std::to_string(calls) + ": " + name_of(failure));
        met += counting_.applies(at, failure) && fail_once(at, failure);
      }
    }
    set_log_level(LogLevel::kInfo);
    return met;
  }

 private:
  void make_anew() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    FailingFileSystem healthy;
    undisturbed(walk_.prepare, healthy);
  }

  // Without the real syncs, which take longer than all the rest.
  void undisturbed(const std::function<void(const std::filesystem::path&)>& action, FailingFileSystem& counting) const {
    counting.set_exchanges(walk_.exchanges);
    const FileSystemInPlace in_place(counting);
    action(folder_);
  }

  bool fail_once(int at, Failure failure) {
    make_anew();
    FailingFileSystem failing(at, failure);
    failing.set_exchanges(walk_.exchanges);
    const bool dies = failure == Failure::kKill || failure == Failure::kPowerCut;
    try {
      const FileSystemInPlace in_place(failing);
      walk_.work(folder_);
    } catch (const Error& error) {
      const bool named = std::string(error.what()).find(temporary_.path().parent_path().string()) != std::string::npos;
      EXPECT_TRUE(dies || named) << "names no path: " << error.what();
      EXPECT_NE(failure, Failure::kShortWrite) << error.what();
    } catch (const std::exception& error) {
      EXPECT_TRUE(dies) << "not an Error: " << error.what();
    }
    if (!failing.struck()) return false;  // threads may take turns in another order
    const Tree left = tree_of(folder_, walk_.unread);
    if (walk_.check) {
      walk_.check(folder_, failure);
    } else {
      const Tree named = dies || failing.struck_removal() ? without_temporaries(left) : left;
      EXPECT_TRUE(named == before_ || named == after_)
          << "differs from before: " << difference(before_, named) << "\nfrom after: " << difference(after_, named);
    }
    FailingFileSystem healthy;
    EXPECT_NO_THROW(undisturbed(walk_.work, healthy)) << "the second call";
    const Tree again = tree_of(folder_, walk_.unread);
    EXPECT_TRUE(again == after_) << "the second call: " << difference(after_, again);
    return true;
  }

  static Tree without_temporaries(Tree tree) {
    std::erase_if(tree, [](const auto& entry) {
      return entry.first.find(".partial") != std::string::npos || entry.first.find(".deleting") != std::string::npos;
    });
    return tree;
  }

  FailureWalk walk_;
  const TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_ / "walk";  // the same each time: paths may be in files
  FailingFileSystem counting_;
  Tree before_, after_;
};

// `at_least`: so that a walk cannot become empty unnoticed.
inline void walk_failures(const FailureWalk& walk, int at_least) {
  const int met = FailureWalker(walk).run();
  EXPECT_GE(met, at_least);
  ::testing::Test::RecordProperty("failures", met);
  std::printf("walked %d failures\n", met);
}

}  // namespace verbund
