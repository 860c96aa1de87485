// Random adverbials of place, goal, means, company and benefit (declared in demo_phrases.h).
#include "demo/phrases.h"

namespace verbund::demo {
namespace {

const Adverbial kAtHome = {Slot::kPlace, "at home", "zu Hause"};
const Adverbial kHomewards = {Slot::kGoal, "home", "nach Hause"};

Adverbial to_region(const Region& region) { return {Slot::kGoal, std::string("to ") + region.en, region.de_to}; }

}  // namespace

Adverbial PhraseSampler::region() {
  const Region& region = dice_.pick(regions());
  return {Slot::kPlace, std::string("in ") + region.en, region.de_in};
}

Adverbial PhraseSampler::place(const Verb& verb, const NounPhrase& owner) {
  const bool lives = verb.frame == Frame::kPosition && verb.is(kStative);
  const bool by_person = (classes_of(owner) & kPerson) != 0;
  if (by_person && !verb.is(kOnFurniture) && dice_.chance(lives ? 50 : 15)) return region();
  if (by_person && !lives && dice_.chance(12)) return kAtHome;
  const Noun* noun = dice_.pick_where(nouns(), [&](const Noun& entry) {
    return entry.place != PlaceKind::kNone && (!lives || (entry.classes & kHome));
  });
  NounPhrase phrase = noun_phrase(*noun);
  using D = Determiner;
  phrase.determiner = dice_.weighted<D>({{70, D::kDefinite}, {12, D::kIndefinite}, {10, D::kThis}});
  if (noun->classes & kRoom && dice_.chance(25)) make_possessive(phrase, &owner);
  describe(phrase, 20);
  const PlacePattern& pattern = place_pattern(noun->place);
  return {Slot::kPlace, pattern.en_at, pattern.de_at, {phrase}, Case::kDative};
}

Adverbial PhraseSampler::goal(const Verb& verb, const NounPhrase& owner) {
  const bool abroad = verb.is(kAbroad) && (!verb.is(kNearby) || dice_.chance(50));
  if (abroad) return to_region(dice_.pick(regions()));
  if (dice_.chance(15)) return kHomewards;
  const bool by_car = verb.is(kAbroad);
  const Noun* noun = dice_.pick_where(nouns(), [&](const Noun& entry) {
    return entry.place != PlaceKind::kNone && (!by_car || !(entry.classes & kRoom));
  });
  NounPhrase phrase = noun_phrase(*noun);
  using D = Determiner;
  phrase.determiner = dice_.weighted<D>({{85, D::kDefinite}, {10, D::kThis}});
  if (noun->classes & kRoom && dice_.chance(25)) make_possessive(phrase, &owner);
  describe(phrase, 15);
  const PlacePattern& pattern = place_pattern(noun->place);
  return {Slot::kGoal, pattern.en_to, pattern.de_to, {phrase}, pattern.to_case};
}

Adverbial PhraseSampler::beside(const NounPhrase& owner, Slot slot, Classes what) {
  static constexpr WordPair kAroundFurniture[] = {{"on", "auf"}, {"under", "unter"}, {"next to", "neben"}};
  static constexpr WordPair kAroundLandmarks[] = {{"in front of", "vor"}, {"behind", "hinter"}, {"next to", "neben"}};
  const WordPair& preposition = what == kFurniture ? dice_.pick(kAroundFurniture) : dice_.pick(kAroundLandmarks);
  NounPhrase phrase = noun_phrase(noun_of(what));
  using D = Determiner;
  phrase.determiner = dice_.weighted<D>({{75, D::kDefinite}, {10, D::kIndefinite}, {15, D::kThis}});
  if (what == kFurniture && dice_.chance(15)) make_possessive(phrase, &owner);
  describe(phrase, 25);
  const Case two_way = slot == Slot::kGoal ? Case::kAccusative : Case::kDative;
  return {slot, preposition.en, preposition.de, {phrase}, two_way};
}

Adverbial PhraseSampler::companion(const NounPhrase& owner) {
  if (dice_.chance(20)) return {Slot::kCompanion, "without", "ohne", {somebody(owner)}, Case::kAccusative};
  return {Slot::kCompanion, "with", "mit", {somebody(owner)}, Case::kDative};
}

Adverbial PhraseSampler::benefit(const NounPhrase& owner) {
  return {Slot::kBenefit, "for", "für", {somebody(owner)}, Case::kAccusative};
}

Adverbial PhraseSampler::means_of_travel() {
  static constexpr WordPair kMeans[] = {{"by train", "mit dem Zug"},
                                        {"by bus", "mit dem Bus"},
                                        {"by car", "mit dem Auto"},
                                        {"by plane", "mit dem Flugzeug"}};
  const WordPair& means = dice_.pick(kMeans);
  return {Slot::kMeans, means.en, means.de};
}

}  // namespace verbund::demo
