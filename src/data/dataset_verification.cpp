// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>

#include "core/error.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/pipeline.h"
#include "core/progress.h"
#include "data/dataset_format.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;

template <typename... Args>
[[noreturn]] void fail_damaged(fmt::format_string<Args...> format, Args&&... args) {
  fail("the dataset is damaged: {}. Run `verbund prepare` again, or copy the dataset again.",
       fmt::format(format, std::forward<Args>(args)...));
}

class Verifier {
 public:
  Verifier(const Dataset& dataset, const std::string& only_split) : dataset_(dataset), only_split_(only_split) {
    if (!only_split.empty()) dataset.split(only_split);  // fails if there is none
    for (const auto& [name, record] : manifest().files) {
      if (concerns(name)) bytes_ += record.size;
    }
  }

  uint64_t bytes() const { return bytes_; }

  void run() {
    for (const auto& file : manifest().files) {
      if (concerns(file.first)) tasks_.emplace_back([this, &file] { check_content(file.first, file.second); });
    }
    run_tasks();
    check_vocabulary(manifest().source_model, manifest().source_vocabulary);
    check_vocabulary(manifest().target_model, manifest().target_vocabulary);
    for (const auto& [name, pairs] : manifest().splits) {
      if (!only_split_.empty() && name != only_split_) continue;
      const Split& split = dataset_.split(name);
      for (size_t begin = 0; begin < split.size(); begin += kPairsAtOnce) {
        const size_t end = std::min(begin + kPairsAtOnce, split.size());
        tasks_.emplace_back(
            [this, &split, split_name = name, begin, end] { check_pairs(split, split_name, begin, end); });
      }
    }
    run_tasks();
  }

 private:
  static constexpr size_t kBytesAtOnce = 1 << 20;
  static constexpr size_t kPairsAtOnce = 1 << 16;

  const DatasetManifest& manifest() const { return dataset_.manifest(); }

  bool concerns(const std::string& file) const {
    return only_split_.empty() || file.starts_with(only_split_ + ".") || file == manifest().source_model ||
           file == manifest().target_model;
  }

  // Runs all tasks, which are independent, on all cores.
  void run_tasks() {
    Progress progress("verify", bytes_, "bytes");
    std::atomic<size_t> next = 0;
    std::vector<std::future<void>> threads;
    for (int i = 0; i < thread_count(0); ++i) {
      threads.push_back(std::async(std::launch::async, [&] {
        for (size_t task; (task = next++) < tasks_.size();) tasks_[task]();
      }));
    }
    for (const auto& thread : threads) {
      while (thread.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) progress.update(done_);
    }
    for (auto& thread : threads) thread.get();
    tasks_.clear();
  }

  void check_content(const std::string& name, const FileSummary& record) {
    const fs::path path = dataset_.folder() / name;
    const MappedFile file(path);
    Checksum checksum;
    for (std::string_view rest = file.bytes(); !rest.empty();) {
      check_interrupt();
      const std::string_view part = rest.substr(0, kBytesAtOnce);
      checksum.add(part);
      done_ += part.size();
      rest.remove_prefix(part.size());
    }
    if (const std::string found = checksum.digest(); found != record.checksum) {
      fail_damaged("the checksum of {} is {}, but {} says {}", path.string(), found, kDatasetManifest, record.checksum);
    }
  }

  // Token ids are checked against the vocabulary sizes of the manifest, so these must be correct.
  void check_vocabulary(const std::string& model, uint64_t vocabulary) const {
    const fs::path path = dataset_.folder() / model;
    if (!manifest().files.contains(model)) fail_damaged("{} does not list {}", kDatasetManifest, model);
    if (const size_t pieces = Subwords(path).size(); pieces != vocabulary) {
      fail_damaged("{} has {} pieces, but {} says {}", path.string(), pieces, kDatasetManifest, vocabulary);
    }
  }

  void check_pairs(const Split& split, const std::string& name, size_t begin, size_t end) const {
    check_interrupt();
    const std::span<const uint64_t> offsets = split.offsets();
    for (size_t pair = begin; pair < end; ++pair) {
      const uint64_t length = uint64_t{split.source_length(pair)} + split.target_length(pair);
      if (offsets[pair] > offsets[pair + 1] || offsets[pair + 1] - offsets[pair] != length ||
          offsets[pair + 1] > offsets.back()) {
        fail_damaged("{0}.offsets and {0}.lengths in {1} disagree: pair {2} is from {3} to {4}, but has {5} tokens",
                     name, dataset_.folder().string(), pair, offsets[pair], offsets[pair + 1], length);
      }
    }
    // Checks each side only if necessary.
    if (split.largest_id(begin, end) < std::min(manifest().source_vocabulary, manifest().target_vocabulary)) return;
    for (size_t pair = begin; pair < end; ++pair) {
      check_side(name, pair, "source", split.largest_source_id(pair), manifest().source_vocabulary);
      check_side(name, pair, "target", split.largest_target_id(pair), manifest().target_vocabulary);
    }
  }

  void check_side(const std::string& name, size_t pair, const char* side, uint32_t largest, uint64_t vocabulary) const {
    if (largest < vocabulary) return;
    fail_damaged("{}.ids in {} has the id {} in the {} of pair {}, but the last of the vocabulary is {}", name,
                 dataset_.folder().string(), largest, side, pair, vocabulary - 1);
  }

  const Dataset& dataset_;
  const std::string only_split_;
  uint64_t bytes_ = 0;
  std::atomic<uint64_t> done_ = 0;
  std::vector<std::function<void()>> tasks_;
};

}  // namespace

Verification verify(const Dataset& dataset, const std::string& only_split) {
  const auto start = Clock::now();
  Verifier verifier(dataset, only_split);
  verifier.run();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  debug("dataset {}: {} bytes verified in {:.3f} s", dataset.folder().string(), verifier.bytes(), seconds);
  return {verifier.bytes(), seconds};
}

}  // namespace verbund
