// SPDX-License-Identifier: Apache-2.0
// JSON lines: one object a line, as Hugging Face's datasets write them: {"translation": {"en": ..., "de": ...}}, or
// flat as {"en": ..., "de": ...}. Other keys are ignored.
#include "core/byte_order_mark.h"
#include "core/error.h"
#include "core/json.h"
#include "core/utf8.h"
#include "text/line_reader.h"
#include "text/pair_stream.h"

namespace verbund {
namespace {

constexpr size_t kMaxKeys = 10'000;  // of a line: translations into all languages, and what else is known of them

class JsonLinesStream final : public PairStream {
 public:
  explicit JsonLinesStream(const ParallelFiles& files) : reader_(files.both()), columns_(files.sides()) {}

  bool read(PairBlock& block) override {
    do {
      if (!reader_.next_line(line_)) return false;
    } while (line_.find_first_not_of(" \t") == std::string::npos);
    if (reader_.lines() == 1 && line_.starts_with(kByteOrderMark)) line_.erase(0, kByteOrderMark.size());
    if (!is_utf8(line_)) {
      block.add(line_, line_, reader_.lines());  // cleaning counts and names it
      return true;
    }
    const Json json = try_parse_json(line_, kMaxKeys);
    if (!json.is_object()) {
      fail(
          "{} line {} is not a JSON object of at most {} keys, as the first line is: \"{:.60}\". Is the file truncated "
          "or damaged?",
          reader_.path().string(), reader_.lines(), kMaxKeys, line_);
    }
    const auto nested = json.find("translation");
    const Json& sides = nested != json.end() && nested->is_object() ? *nested : json;
    const std::string source = side(sides, columns_[0]), target = side(sides, columns_[1]);
    block.add(source, target, reader_.lines());
    return true;
  }
  uint64_t position() const override { return reader_.position(); }

 private:
  std::string side(const Json& sides, const std::string& key) const {
    const auto found = sides.find(key);
    if (found == sides.end()) {
      std::vector<std::string> keys;
      for (const auto& item : sides.items()) keys.push_back(item.key());
      fail("{} line {} has the keys {}, but not {}. Name two of them with columns: [SOURCE, TARGET].",
           reader_.path().string(), reader_.lines(), fmt::join(keys, ", "), key);
    }
    if (found->is_null()) return "";  // cleaning drops the pair; in dev and test text it is kept, with a warning
    if (!found->is_string()) {
      fail("{} line {}: {} is {}, but must be text", reader_.path().string(), reader_.lines(), key,
           dump_json(*found).substr(0, 60));
    }
    return one_line(found->get_ref<const std::string&>());
  }

  LineReader reader_;
  std::vector<std::string> columns_;
  std::string line_;
};

}  // namespace

std::unique_ptr<PairStream> open_json_lines(const ParallelFiles& files) {
  return std::make_unique<JsonLinesStream>(files);
}

}  // namespace verbund
