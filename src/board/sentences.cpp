// SPDX-License-Identifier: Apache-2.0
#include "board/sentences.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <set>

#include "board/numbers.h"
#include "core/error.h"
#include "core/file.h"

namespace verbund {
namespace {

constexpr float kNoScore = std::numeric_limits<float>::quiet_NaN();

std::string in_lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// The first, the last, and others between them at equal distances.
std::set<int64_t> spread(const std::vector<int64_t>& steps, size_t count) {
  std::set<int64_t> chosen;
  for (size_t i = 0; i < std::min(count, steps.size()); ++i) {
    chosen.insert(steps.size() <= count ? steps[i] : steps[i * (steps.size() - 1) / (count - 1)]);
  }
  return chosen;
}

}  // namespace

void SentenceTable::refresh(const fs::path& run) {
  std::error_code error;
  const fs::file_time_type dev_time = fs::last_write_time(dev_file(run), error);
  try {
    if (!error && dev_time != dev_time_) {
      pairs_ = read_dev(dev_file(run));
      if (pairs_.size() > kMaxSentences) pairs_.resize(kMaxSentences);
      dev_time_ = dev_time;
    }
    std::vector<int64_t> steps;
    if (fs::is_directory(evaluations_folder(run))) {
      for (const fs::path& file : list_folder(evaluations_folder(run))) {
        if (const auto step = evaluation_step(file)) steps.push_back(*step);
      }
    }
    std::sort(steps.begin(), steps.end());
    const std::set<int64_t> chosen = spread(steps, kMaxEvaluations);
    std::erase_if(evaluations_, [&](const auto& entry) { return !chosen.contains(entry.first); });
    std::erase_if(read_, [&](const auto& entry) { return !chosen.contains(entry.first); });
    for (const int64_t step : chosen) {
      const fs::path file = evaluation_file(run, step);
      const fs::file_time_type time = fs::last_write_time(file, error);
      if (error || (read_.contains(step) && read_[step] == time)) continue;
      const KeptEvaluation kept = read_evaluation(file);
      read_[step] = time;
      Evaluated evaluated;
      for (const KeptSentence& sentence : kept.sentences) {
        if (!sentence.translation || evaluated.translations.size() == kMaxSentences) break;
        evaluated.translations.push_back(*sentence.translation);
        evaluated.chrf.push_back(sentence.chrf ? static_cast<float>(chrf_score(*sentence.chrf, 1).score) : kNoScore);
        const double loss = sentence.cross_entropy / static_cast<double>(std::max<int64_t>(1, sentence.tokens));
        evaluated.loss.push_back(static_cast<float>(loss));
      }
      if (evaluated.translations.empty()) {
        evaluations_.erase(step);
      } else {
        evaluations_[step] = std::move(evaluated);
      }
    }
  } catch (const Error&) {  // a file has just vanished: the next time
  } catch (const fs::filesystem_error&) {
  }
}

const SentenceTable::Evaluated* SentenceTable::at(int64_t step) const {
  const auto found = evaluations_.find(step);
  return found == evaluations_.end() ? nullptr : &found->second;
}

Json SentenceTable::steps() const {
  Json steps = Json::array();
  for (const auto& [step, evaluated] : evaluations_) steps.push_back(step);
  return steps;
}

size_t SentenceTable::translated(const Evaluated& evaluated) const {
  return std::min(pairs_.size(), evaluated.translations.size());
}

std::vector<size_t> SentenceTable::find_in(const SentenceTable& other, size_t count, size_t their_count) const {
  std::vector<size_t> numbers(count, kNone);
  if (&other == this) {
    for (size_t i = 0; i < std::min(count, their_count); ++i) numbers[i] = i;
    return numbers;
  }
  // A dev set may have a pair several times: the first belongs to the first, the second to the second.
  std::map<std::pair<std::string_view, std::string_view>, std::deque<size_t>> theirs;
  for (size_t i = 0; i < their_count; ++i) {
    theirs[{other.pairs_[i].source, other.pairs_[i].reference}].push_back(i);
  }
  for (size_t i = 0; i < count; ++i) {
    const auto found = theirs.find({pairs_[i].source, pairs_[i].reference});
    if (found == theirs.end() || found->second.empty()) continue;
    numbers[i] = found->second.front();
    found->second.pop_front();
  }
  return numbers;
}

Json SentenceTable::list(const SentenceRequest& request, const SentenceTable* other_run) const {
  const SentenceTable& there = other_run ? *other_run : *this;
  Json json = {{"steps", steps()}, {"against_steps", there.steps()}, {"found", 0}, {"sentences", Json::array()}};
  if (evaluations_.empty() || there.evaluations_.empty()) return json;
  const int64_t step = at(request.step) ? request.step : evaluations_.rbegin()->first;
  const int64_t otherwise = other_run ? there.evaluations_.rbegin()->first : evaluations_.begin()->first;
  const int64_t against = there.at(request.against) ? request.against : otherwise;
  const Evaluated &now = *at(step), &before = *there.at(against);
  const size_t count = translated(now), their_count = there.translated(before);
  const std::vector<size_t> partner = find_in(there, count, their_count);
  json["step"] = step;
  json["against"] = against;
  json["here"] = count;
  json["there"] = their_count;
  json["shared"] = count - static_cast<size_t>(std::count(partner.begin(), partner.end(), kNone));

  const std::string searched = in_lower_case(request.search);
  const auto matches = [&](size_t i) {
    if (searched.empty()) return true;
    const auto has = [&](const std::string& text) { return in_lower_case(text).find(searched) != std::string::npos; };
    return has(pairs_[i].source) || has(pairs_[i].reference) || has(now.translations[i]) ||
           (partner[i] != kNone && has(before.translations[partner[i]]));
  };
  const auto change = [&](size_t i) {
    const double difference = partner[i] != kNone ? now.chrf[i] - before.chrf[partner[i]] : 0;
    return std::isfinite(difference) ? difference : 0;
  };
  std::vector<size_t> found;
  for (size_t i = 0; i < count; ++i) {
    if ((!other_run || partner[i] != kNone) && matches(i)) found.push_back(i);
  }
  json["found"] = found.size();
  json["better"] = std::count_if(found.begin(), found.end(), [&](size_t i) { return change(i) > 0; });
  json["worse"] = std::count_if(found.begin(), found.end(), [&](size_t i) { return change(i) < 0; });

  const auto key = [&](size_t i) -> double {
    switch (request.order) {
      case SentenceOrder::kWorst:
        return std::isfinite(now.chrf[i]) ? now.chrf[i] : -1;
      case SentenceOrder::kChanged:
        return -std::abs(change(i));
      case SentenceOrder::kImproved:
        return -change(i);
      case SentenceOrder::kForgotten:
        return change(i);
      case SentenceOrder::kLongest:
        return -static_cast<double>(pairs_[i].reference.size());
      case SentenceOrder::kFirst:
        break;
    }
    return static_cast<double>(i);
  };
  std::stable_sort(found.begin(), found.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  const size_t max_count = std::min<size_t>(request.count, 200);
  for (size_t k = std::min(request.offset, found.size()); k < found.size() && json["sentences"].size() < max_count;
       ++k) {
    const size_t i = found[k];
    Json sentence = {{"number", i},
                     {"source", pairs_[i].source},
                     {"reference", pairs_[i].reference},
                     {"translation", now.translations[i]},
                     {"chrf", json_number(now.chrf[i])}};
    if (partner[i] != kNone && &now != &before) {
      sentence["other"] = before.translations[partner[i]];
      sentence["chrf_other"] = json_number(before.chrf[partner[i]]);
    }
    json["sentences"].push_back(std::move(sentence));
  }
  return json;
}

Json SentenceTable::history(size_t number) const {
  if (number >= pairs_.size()) return nullptr;
  Json json = {{"number", number},
               {"source", pairs_[number].source},
               {"reference", pairs_[number].reference},
               {"history", Json::array()}};
  for (const auto& [step, evaluated] : evaluations_) {
    if (number >= evaluated.translations.size()) continue;
    json["history"].push_back({{"step", step},
                               {"translation", evaluated.translations[number]},
                               {"chrf", json_number(evaluated.chrf[number])},
                               {"loss", json_number(evaluated.loss[number])}});
  }
  return json;
}

}  // namespace verbund
