// SPDX-License-Identifier: Apache-2.0
// bench_encode measures the throughput of encoding text, compared with Debian's spm_encode on the same file in the same
// run. Verifies that the token ids are the same.
//
//   bench_encode [MODEL TEXT]    default: the optional data folder's europarl and joint model;
//                                without it, the demo corpus and a model learned from it
#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/pipeline.h"
#include "demo/generated_corpus.h"
#include "text/line_reader.h"
#include "text/parallel_corpus.h"
#include "text/subword_trainer.h"
#include "text/subwords.h"

using namespace verbund;

namespace {

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Encoded {
  std::string text;  // ids as spm_encode --output_format=id writes them
  uint64_t lines = 0;
};

// Reads, encodes and writes as spm_encode does, with `threads` threads.
uint64_t encode_file(const fs::path& model, const fs::path& text, const fs::path& output, int threads) {
  const Subwords subwords(model);
  LineReader reader(text);
  AtomicFile file(output);
  uint64_t lines = 0;
  const auto produce = [&]() -> std::optional<std::vector<std::string>> {
    std::vector<std::string> block;
    std::string line;
    while (block.size() < 2048 && reader.next_line(line)) block.push_back(line);
    return block.empty() ? std::nullopt : std::make_optional(std::move(block));
  };
  const auto make_encoder = [&] {
    return [encoder = WordEncoder(subwords)](std::vector<std::string>&& block) mutable {
      Encoded result;
      std::vector<TokenId> ids;
      for (const std::string& line : block) {
        ids.clear();
        encoder.encode(line, ids);
        fmt::format_to(std::back_inserter(result.text), "{}\n", fmt::join(ids, " "));
      }
      result.lines = block.size();
      return result;
    };
  };
  ordered_pipeline(threads, produce, make_encoder, [&](Encoded&& block) {
    file.write(block.text);
    lines += block.lines;
  });
  file.commit();
  return lines;
}

void make_demo(const fs::path& folder) {
  AtomicFile pairs(folder / "pairs"), text(folder / "text");
  for (const SentencePair& pair : demo_corpus(1, {}).train) {
    pairs.write(pair.source + "\t" + pair.target + "\n");
    text.write(pair.source + "\n" + pair.target + "\n");
  }
  pairs.commit();
  text.commit();
  SubwordConfig config;
  config.vocabulary = 2000;
  learn_subwords(folder / "pairs", Sides::kBoth, config, folder / "model");
}

}  // namespace

int main(int argc, char** argv) try {
  std::string name = (fs::temp_directory_path() / "verbund-bench-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  const fs::path data = fs::path(VERBUND_SOURCE_DIR) / "../shared/data";
  fs::path model, text;
  if (argc == 3) {
    model = argv[1];
    text = argv[2];
  } else if (fs::exists(data / "europarl")) {
    model = data / "course/m_common.model";
    text = folder / "text";
    const std::string unpack = fmt::format("xzcat {}/europarl/europarl-500k.de.xz > {}", data.string(), text.string());
    if (std::system(unpack.c_str()) != 0) fail("cannot unpack europarl");
  } else {
    set_log_level(LogLevel::kWarning);
    make_demo(folder);
    model = folder / "model";
    text = folder / "text";
  }

  const std::string peer = fmt::format("spm_encode --model={} --output_format=id < {} > {} 2> /dev/null",
                                       model.string(), text.string(), (folder / "peer").string());
  int status = 0;
  const double peer_seconds = seconds([&] { status = std::system(peer.c_str()); });
  if (status != 0) fail("spm_encode does not run: install Debian's package sentencepiece");
  uint64_t lines = 0;
  const double one = seconds([&] { lines = encode_file(model, text, folder / "one", 1); });
  const double two = seconds([&] { encode_file(model, text, folder / "two", 2); });

  const bool same = read_file(folder / "one") == read_file(folder / "peer") &&
                    read_file(folder / "two") == read_file(folder / "peer");
  const auto report = [&](const char* what, double time) {
    fmt::print("{:<24} {:>8.2f} s {:>12.0f} lines/s {:>8.2f} x\n", what, time, static_cast<double>(lines) / time,
               peer_seconds / time);
  };
  fmt::print("{} lines, {:.1f} MB\n", lines, static_cast<double>(fs::file_size(text)) / 1e6);
  report("spm_encode", peer_seconds);
  report("verbund, 1 thread", one);
  report("verbund, 2 threads", two);
  fmt::print("token ids: {}\n", same ? "the same, every one" : "DIFFERENT");
  fs::remove_all(folder);
  return same ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_encode: {}\n", error.what());
  return 1;
}
