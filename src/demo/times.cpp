#include "demo/times.h"

#include <fmt/format.h>

namespace verbund::demo {
namespace {

constexpr WordPair kNowTimes[] = {{"today", "heute"}, {"now", "jetzt"}, {"at the moment", "im Moment"}};
constexpr WordPair kHabitTimes[] = {{"every morning", "jeden Morgen"},  {"every evening", "jeden Abend"},
                                    {"every week", "jede Woche"},       {"every year", "jedes Jahr"},
                                    {"in summer", "im Sommer"},         {"in winter", "im Winter"},
                                    {"at the weekend", "am Wochenende"}};
constexpr WordPair kPastTimes[] = {{"yesterday evening", "gestern Abend"}, {"this morning", "heute Morgen"},
                                   {"last week", "letzte Woche"},          {"last month", "letzten Monat"},
                                   {"last year", "letztes Jahr"},          {"last summer", "letzten Sommer"},
                                   {"an hour ago", "vor einer Stunde"}};
constexpr WordPair kFutureTimes[] = {{"this evening", "heute Abend"}, {"tomorrow evening", "morgen Abend"},
                                     {"next week", "nächste Woche"},  {"next month", "nächsten Monat"},
                                     {"next year", "nächstes Jahr"},  {"in an hour", "in einer Stunde"}};
constexpr WordPair kWeekdays[] = {{"Monday", "Montag"},       {"Tuesday", "Dienstag"}, {"Wednesday", "Mittwoch"},
                                  {"Thursday", "Donnerstag"}, {"Friday", "Freitag"},   {"Saturday", "Samstag"},
                                  {"Sunday", "Sonntag"}};
constexpr WordPair kMonths[] = {{"January", "Januar"},    {"March", "März"},          {"April", "April"},
                                {"May", "Mai"},           {"June", "Juni"},           {"July", "Juli"},
                                {"August", "August"},     {"October", "Oktober"},     {"November", "November"},
                                {"December", "Dezember"}, {"September", "September"}, {"February", "Februar"}};
constexpr WordPair kSpans[] = {{"days", "Tagen"}, {"weeks", "Wochen"}, {"months", "Monaten"}, {"years", "Jahren"}};

Adverbial time(std::string en, std::string de) { return {Slot::kTime, std::move(en), std::move(de)}; }
Adverbial time(const WordPair& pair) { return time(pair.en, pair.de); }

std::string hour_en(int hour) { return hour == 1 ? "one" : english_number(hour); }
std::string hour_de(int hour) { return hour == 1 ? "eins" : german_number(hour); }

Adverbial definite_phrase(std::string en, std::string de, const Noun& noun, Case grammatical_case) {
  Adverbial adverbial = time(std::move(en), std::move(de));
  adverbial.phrase_case = grammatical_case;
  adverbial.phrase.resize(1);
  adverbial.phrase[0].noun = &noun;
  return adverbial;
}

// "after the concert", "during the film", "because of the bad weather".
Adverbial circumstance(Dice& dice) {
  if (dice.chance(60)) {
    const Noun& event = *dice.pick_where(nouns(), [](const Noun& noun) { return noun.classes & (kEvent | kShow); });
    switch (dice.between(0, 2)) {
      case 0:
        return definite_phrase("after", "nach", event, Case::kDative);
      case 1:
        return definite_phrase("before", "vor", event, Case::kDative);
      default:
        return definite_phrase("during", "während", event, Case::kGenitive);
    }
  }
  const Noun& weather = *dice.pick_where(nouns(), [](const Noun& noun) { return noun.classes & kCircumstance; });
  Adverbial adverbial = dice.chance(50) ? definite_phrase("because of", "wegen", weather, Case::kGenitive)
                                        : definite_phrase("despite", "trotz", weather, Case::kGenitive);
  if (&weather == &noun("weather")) adverbial.phrase[0].adjective = &adjective("bad");
  return adverbial;
}

}  // namespace

Adverbial day(Dice& dice, Period period) {
  const WordPair& weekday = dice.pick(kWeekdays);
  const bool named = dice.chance(60);
  Adverbial on_weekday = time(fmt::format("on {}", weekday.en), fmt::format("am {}", weekday.de));
  switch (period) {
    case Period::kNow:
      return time("today", "heute");
    case Period::kHabit:
      if (!named) return time("every day", "jeden Tag");
      return time(fmt::format("every {}", weekday.en), fmt::format("jeden {}", weekday.de));
    case Period::kPast:
      if (!named) return time("yesterday", "gestern");
      if (dice.chance(50)) return on_weekday;
      return time(fmt::format("last {}", weekday.en), fmt::format("letzten {}", weekday.de));
    case Period::kFuture:
      if (!named) return time("tomorrow", "morgen");
      if (dice.chance(50)) return on_weekday;
      return time(fmt::format("next {}", weekday.en), fmt::format("nächsten {}", weekday.de));
  }
  return {};
}

Adverbial clock_time(Dice& dice) {
  const int hour = dice.between(1, 11);
  switch (dice.between(0, 4)) {
    case 0:
      return time(fmt::format("at half past {}", hour_en(hour)), fmt::format("um halb {}", hour_de(hour + 1)));
    case 1:
      return time(fmt::format("at a quarter to {}", hour_en(hour)), fmt::format("um Viertel vor {}", hour_de(hour)));
    case 2: {
      const int hours = dice.between(6, 22), minutes = 5 * dice.between(1, 11);
      const std::string digits = fmt::format("{}:{:02}", hours, minutes);
      return time(fmt::format("at {}", digits), fmt::format("um {} Uhr", digits));
    }
    default:
      return time(fmt::format("at {} o'clock", hour_en(hour)),
                  fmt::format("um {} Uhr", hour == 1 ? "ein" : hour_de(hour)));
  }
}

Adverbial time_adverbial(Dice& dice, Period period) {
  if (dice.chance(45)) {
    Adverbial adverbial = day(dice, period);
    if (period != Period::kNow && dice.chance(40)) {
      const Adverbial clock = clock_time(dice);
      adverbial.en += " " + clock.en;
      adverbial.de += " " + clock.de;
    }
    return adverbial;
  }
  const WordPair& span = kSpans[dice.between(0, period == Period::kFuture ? 1 : 3)];
  const WordPair& month = dice.pick(kMonths);
  const int number = dice.between(2, period == Period::kFuture ? 6 : 12);
  const int kind = dice.between(0, 9);
  switch (period) {
    case Period::kHabit:
      return time(dice.pick(kHabitTimes));
    case Period::kNow:
      return time(dice.pick(kNowTimes));
    case Period::kFuture:
      if (kind < 3) {
        return time(fmt::format("in {} {}", english_number(number), span.en),
                    fmt::format("in {} {}", german_number(number), span.de));
      }
      return time(dice.pick(kFutureTimes));
    case Period::kPast: {
      if (kind < 2) {
        return time(fmt::format("{} {} ago", english_number(number), span.en),
                    fmt::format("vor {} {}", german_number(number), span.de));
      }
      if (kind == 2) return time(fmt::format("in {}", month.en), fmt::format("im {}", month.de));
      const int year = dice.between(1950, 2019);
      if (kind == 3) return time(fmt::format("in {}", year), fmt::format("im Jahr {}", year));
      if (kind < 6) return circumstance(dice);
      return time(dice.pick(kPastTimes));
    }
  }
  return {};
}

Adverbial frequency_adverb(Dice& dice, bool may_be_never) {
  static constexpr WordPair kFrequencies[] = {
      {"often", "oft"}, {"always", "immer"}, {"sometimes", "manchmal"}, {"usually", "meistens"}, {"rarely", "selten"}};
  if (may_be_never && dice.chance(15)) {
    return {.slot = Slot::kFrequency, .en = "never", .de = "nie", .behind_objects = true};
  }
  const WordPair& word = dice.pick(kFrequencies);
  return {Slot::kFrequency, word.en, word.de};
}

}  // namespace verbund::demo
