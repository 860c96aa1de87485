// The adjectives of the demo corpus: English degrees, German base form and attributive stem,
// German degrees, what they may describe.
#include "core/error.h"
#include "demo/lexicon.h"

namespace verbund::demo {
namespace {

constexpr Case kAcc = Case::kAccusative, kDat = Case::kDative;

constexpr Classes kArtefact = kVehicle | kFurniture | kThing | kClothing | kDevice | kBuilding | kPicture;
constexpr Classes kWork = kReadable | kTale | kSong | kShow;
constexpr Classes kWares = kVehicle | kFurniture | kThing | kClothing | kDevice;

// clang-format off
constexpr Adjective kAdjectives[] = {
    {"old", "older", "oldest", "alt", "alt", "älter", "ältest", kAdult | kAnimal | kArtefact | kReadable | kSong | kTransit | kRoom | kVenue},
    {"young", "younger", "youngest", "jung", "jung", "jünger", "jüngst", kPerson | kAnimal},
    {"new", "newer", "newest", "neu", "neu", "neuer", "neuest", kArtefact | kReadable | kSong | kShow | kTopic},
    {"big", "bigger", "biggest", "groß", "groß", "größer", "größt", kAnimal | kArtefact | kRoom | kVenue | kPlant | kEvent},
    {"small", "smaller", "smallest", "klein", "klein", "kleiner", "kleinst", kChild | kAnimal | kArtefact | kRoom | kVenue | kPlant},
    {"tall", "taller", "tallest", "groß", "groß", "größer", "größt", kPerson},
    {"good", "better", "best", "gut", "gut", "besser", "best", kWork | kFood | kDrink | kTopic | kPicture},
    {"bad", "worse", "worst", "schlecht", "schlecht", "schlechter", "schlechtest", kWork | kTopic},
    {"beautiful", "more beautiful", "most beautiful", "schön", "schön", "schöner", "schönst", kArtefact | kSong | kTale | kPlant | kRoom | kVenue | kEvent},
    {"ugly", "uglier", "ugliest", "hässlich", "hässlich", "hässlicher", "hässlichst", kArtefact | kWild},
    {"expensive", "more expensive", "most expensive", "teuer", "teur", "teurer", "teuerst", kWares | kFood | kDrink | kPublication},
    {"cheap", "cheaper", "cheapest", "billig", "billig", "billiger", "billigst", kWares | kFood | kDrink | kPublication},
    {"long", "longer", "longest", "lang", "lang", "länger", "längst", kWork | kTransit},
    {"short", "shorter", "shortest", "kurz", "kurz", "kürzer", "kürzest", kWork},
    {"heavy", "heavier", "heaviest", "schwer", "schwer", "schwerer", "schwerst", kFurniture | kDevice | kOpening},
    {"difficult", "more difficult", "most difficult", "schwierig", "schwierig", "schwieriger", "schwierigst", kTopic | kTask | kContest},
    {"easy", "easier", "easiest", "einfach", "einfach", "einfacher", "einfachst", kTopic | kTask | kContest},
    {"interesting", "more interesting", "most interesting", "interessant", "interessant", "interessanter", "interessantest", kWork | kTopic | kVenue | kEvent},
    {"boring", "more boring", "most boring", "langweilig", "langweilig", "langweiliger", "langweiligst", kWork | kEvent},
    {"important", "more important", "most important", "wichtig", "wichtig", "wichtiger", "wichtigst", kTopic | kContest | kReadable},
    {"funny", "funnier", "funniest", "lustig", "lustig", "lustiger", "lustigst", kTale | kSong | kShow | kChild},
    {"sad", "sadder", "saddest", "traurig", "traurig", "trauriger", "traurigst", kPerson | kTale | kSong, true},
    {"happy", "happier", "happiest", "glücklich", "glücklich", "glücklicher", "glücklichst", kPerson, true},
    {"friendly", "friendlier", "friendliest", "freundlich", "freundlich", "freundlicher", "freundlichst", kPerson | kPet},
    {"polite", "more polite", "most polite", "höflich", "höflich", "höflicher", "höflichst", kPerson},
    {"clever", "cleverer", "cleverest", "klug", "klug", "klüger", "klügst", kPerson | kAnimal},
    {"lazy", "lazier", "laziest", "faul", "faul", "fauler", "faulst", kPerson | kAnimal},
    {"hard-working", "more hard-working", "most hard-working", "fleißig", "fleißig", "fleißiger", "fleißigst", kPerson},
    {"brave", "braver", "bravest", "mutig", "mutig", "mutiger", "mutigst", kPerson},
    {"honest", "more honest", "most honest", "ehrlich", "ehrlich", "ehrlicher", "ehrlichst", kPerson},
    {"shy", "shyer", "shyest", "schüchtern", "schüchtern", "schüchterner", "schüchternst", kPerson | kAnimal},
    {"nervous", "more nervous", "most nervous", "nervös", "nervös", "nervöser", "nervösest", kPerson, true},
    {"famous", "more famous", "most famous", "berühmt", "berühmt", "berühmter", "berühmtest", kAdult | kVenue | kText | kSong},
    {"rich", "richer", "richest", "reich", "reich", "reicher", "reichst", kAdult},
    {"poor", "poorer", "poorest", "arm", "arm", "ärmer", "ärmst", kAdult},
    {"strong", "stronger", "strongest", "stark", "stark", "stärker", "stärkst", kPerson | kWild},
    {"tired", "", "", "müde", "müd", "", "", kPerson | kPet, true},
    {"sick", "", "", "krank", "krank", "", "", kPerson | kPet, true},
    {"healthy", "healthier", "healthiest", "gesund", "gesund", "gesünder", "gesündest", kPerson | kPet},
    {"hungry", "", "", "hungrig", "hungrig", "", "", kPerson | kAnimal, true},
    {"thirsty", "", "", "durstig", "durstig", "", "", kPerson | kPet, true},
    {"dangerous", "more dangerous", "most dangerous", "gefährlich", "gefährlich", "gefährlicher", "gefährlichst", kWild},
    {"fast", "faster", "fastest", "schnell", "schnell", "schneller", "schnellst", kVehicle | kTransit},
    {"slow", "slower", "slowest", "langsam", "langsam", "langsamer", "langsamst", kVehicle | kTransit},
    {"loud", "louder", "loudest", "laut", "laut", "lauter", "lautest", kDevice | kSong | kEvent, true},
    {"dark", "darker", "darkest", "dunkel", "dunkl", "dunkler", "dunkelst", kRoom},
    {"warm", "warmer", "warmest", "warm", "warm", "wärmer", "wärmst", kClothing | kRoom, true},
    {"cold", "colder", "coldest", "kalt", "kalt", "kälter", "kältest", kDrink | kRoom, true},
    {"hot", "hotter", "hottest", "heiß", "heiß", "heißer", "heißest", kDish, true},
    {"fresh", "fresher", "freshest", "frisch", "frisch", "frischer", "frischest", kFood},
    {"sweet", "sweeter", "sweetest", "süß", "süß", "süßer", "süßest", kPastry},
    {"delicious", "", "", "lecker", "lecker", "", "", kFood},
    {"dirty", "dirtier", "dirtiest", "schmutzig", "schmutzig", "schmutziger", "schmutzigst", kVehicle | kClothing | kRoom | kOpening | kPet, true},
    {"clean", "cleaner", "cleanest", "sauber", "sauber", "sauberer", "sauberst", kVehicle | kClothing | kRoom | kOpening, true},
    {"broken", "", "", "kaputt", "kaputt", "", "", kVehicle | kDevice | kToy, true},
    {"modern", "more modern", "most modern", "modern", "modern", "moderner", "modernst", kBuilding | kDevice | kFurniture},
    {"comfortable", "more comfortable", "most comfortable", "bequem", "bequem", "bequemer", "bequemst", kFurniture | kClothing},
};

constexpr Classes kColoured = kVehicle | kClothing | kFurniture | kThing;
constexpr Adjective kColours[] = {
    {"red", "", "", "rot", "rot", "", "", kColoured | kPlant},
    {"blue", "", "", "blau", "blau", "", "", kColoured},
    {"green", "", "", "grün", "grün", "", "", kColoured},
    {"yellow", "", "", "gelb", "gelb", "", "", kColoured | kPlant},
    {"white", "", "", "weiß", "weiß", "", "", kColoured | kPlant | kPet},
    {"black", "", "", "schwarz", "schwarz", "", "", kColoured | kPet},
    {"brown", "", "", "braun", "braun", "", "", kColoured | kPet},
    {"grey", "", "", "grau", "grau", "", "", kColoured | kPet},
};

constexpr Adjective kAttitudes[] = {
    {"proud", "", "", "stolz", "stolz", "", "", kPerson, false, "of", "auf", kAcc, kRelation | kVehicle | kText},
    {"satisfied", "", "", "zufrieden", "zufrieden", "", "", kPerson, false, "with", "mit", kDat, kVehicle | kDevice | kText | kTopic | kFood},
    {"jealous", "", "", "eifersüchtig", "eifersüchtig", "", "", kPerson, false, "of", "auf", kAcc, kPerson},
    {"curious", "", "", "neugierig", "neugierig", "", "", kPerson, false, "about", "auf", kAcc, kShow | kText | kTopic},
};
// clang-format on

}  // namespace

std::span<const Adjective> adjectives() { return kAdjectives; }
std::span<const Adjective> colours() { return kColours; }
std::span<const Adjective> attitudes() { return kAttitudes; }

const Adjective& adjective(std::string_view en) {
  for (const auto& table : {adjectives(), colours(), attitudes()}) {
    for (const Adjective& entry : table) {
      if (entry.en == en) return entry;
    }
  }
  fail("the demo lexicon has no adjective '{}'", en);
}

}  // namespace verbund::demo
