// SPDX-License-Identifier: Apache-2.0
#include "decode/ongoing_translation.h"

#include <map>
#include <set>
#include <utility>

namespace verbund {
namespace {

class SearchOfLines final : public OngoingTranslation {
 public:
  explicit SearchOfLines(Translator translator) : translator_(std::move(translator)), search_(translator_.begin()) {}

  bool has_room() const override {
    if (search_.sentences() == 0) return true;
    const DecodeConfig& config = translator_.config().search.config;
    const auto tokens = static_cast<size_t>(config.batch_tokens), beam = static_cast<size_t>(config.beam);
    // A batch of so many source tokens has about as many target tokens, and the end of each sentence is not known.
    return search_.source_tokens() < tokens && search_.cached_rows() < 2 * beam * tokens &&
           search_.sentences() < translator_.max_sentences();
  }

  size_t add(const std::string& text, const TranslationNeeds& needs) override {
    const Line line = {text, "", 1};
    translator_.check(line);
    const size_t number = added_++;
    OpenLine& open = lines_[number];
    open.segments = translator_.segments_of(line);
    open.needs = needs;
    open.found.resize(open.segments.size());
    for (size_t i = 0; i < open.segments.size(); ++i) waiting_.insert({i, number});
    if (open.segments.empty()) close(number);
    // The first of this line, and one of lines that have begun: none holds up the others.
    for (int i = 0; i < 2 && has_room(); ++i) join_next();
    return number;
  }

  std::vector<Done> step() override {
    while (!waiting_.empty() && has_room()) join_next();
    for (BeamSearch::Done& done : search_.step()) {
      const auto [number, segment] = places_.at(done.number);
      places_.erase(done.number);
      OpenLine& line = lines_.at(number);
      line.found[segment] = std::move(done.hypotheses);
      if (++line.done == line.segments.size()) close(number);
    }
    return std::exchange(done_, {});
  }

 private:
  struct OpenLine {
    std::vector<SearchTask> segments;
    TranslationNeeds needs;
    std::vector<std::vector<Hypothesis>> found;  // of each segment
    size_t done = 0;                             // segments
  };

  void join_next() {
    if (waiting_.empty()) return;
    const auto [segment, number] = waiting_.extract(waiting_.begin()).value();
    const OpenLine& line = lines_.at(number);
    places_[search_.add(line.segments[segment], line.needs)] = {number, segment};
  }

  void close(size_t number) {
    const OpenLine& line = lines_.at(number);
    done_.push_back({number, translator_.join(line.segments, line.found)});
    lines_.erase(number);
  }

  const Translator translator_;
  BeamSearch search_;
  size_t added_ = 0;
  std::map<size_t, OpenLine> lines_;
  std::map<size_t, std::pair<size_t, size_t>> places_;  // a sentence's number in the search -> line, segment
  std::set<std::pair<size_t, size_t>> waiting_;         // segment, line: of the line that has begun the fewest first
  std::vector<Done> done_;
};

}  // namespace

std::unique_ptr<OngoingTranslation> begin_translation(Translator translator) {
  return std::make_unique<SearchOfLines>(std::move(translator));
}

}  // namespace verbund
