// SPDX-License-Identifier: Apache-2.0
#include "decode/shared_translation.h"

namespace verbund {
namespace {

Json pack(const Line& line) { return {line.text, line.prefix, line.number}; }
Json pack(const Translation& t) { return {t.text, t.score, t.alignment, t.pieces, t.finished, t.split}; }

Line unpack_line(const Json& json) { return {json.at(0), json.at(1), json.at(2)}; }
Translation unpack_translation(const Json& json) {
  return {json.at(0), json.at(1), json.at(2), json.at(3), json.at(4), json.at(5)};
}

}  // namespace

std::vector<std::vector<Translation>> SharedTranslation::translate_share(const std::vector<Line>& all,
                                                                         const TellDone& tell) {
  const auto rank = static_cast<size_t>(workers_.rank()), size = static_cast<size_t>(workers_.size());
  std::vector<Line> own;
  for (size_t i = rank; i < all.size(); i += size) own.push_back(all[i]);
  Json mine = Json::array();
  const uint64_t before = translator_.target_tokens();
  const auto tell_all = [&](size_t done) { tell(done * all.size() / own.size()); };
  for (const auto& translations : translator_.translate(own, tell ? TellDone(tell_all) : TellDone())) {
    mine.push_back(Json::array());
    for (const Translation& translation : translations) mine.back().push_back(pack(translation));
  }
  auto tokens = static_cast<double>(translator_.target_tokens() - before);
  workers_.comm().sum({&tokens, 1});
  target_tokens_ += static_cast<uint64_t>(tokens);

  std::vector<std::vector<Translation>> results(all.size());
  const std::vector<std::string> shares = workers_.comm().gather(pack_json(mine));
  for (size_t worker = 0; worker < size; ++worker) {
    size_t line = worker;
    for (const Json& translations : unpack_json(shares[worker])) {
      for (const Json& translation : translations) results[line].push_back(unpack_translation(translation));
      line += size;
    }
  }
  return results;
}

std::vector<std::vector<Translation>> SharedTranslation::translate(const std::vector<Line>& lines,
                                                                   const TellDone& tell) {
  if (workers_.size() == 1) {
    const uint64_t before = translator_.target_tokens();
    auto results = translator_.translate(lines, tell);
    target_tokens_ += translator_.target_tokens() - before;
    return results;
  }
  if (lines.empty()) return {};
  Json all = Json::array();
  for (const Line& line : lines) all.push_back(pack(line));
  workers_.comm().broadcast(pack_json(all));
  return translate_share(lines, tell);
}

void SharedTranslation::finish() {
  if (workers_.size() > 1) workers_.comm().broadcast(pack_json(Json::array()));
}

void SharedTranslation::assist() {
  while (true) {
    std::vector<Line> lines;
    for (const Json& line : unpack_json(workers_.comm().broadcast(std::string()))) lines.push_back(unpack_line(line));
    if (lines.empty()) return;
    translate_share(lines);
  }
}

}  // namespace verbund
