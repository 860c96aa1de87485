// The verbs of the demo corpus: English principal parts, German principal parts and
// imperative, frame, what may be subject and object, flags, preposition and case of the object.
#include "core/error.h"
#include "demo/lexicon.h"

namespace verbund::demo {
namespace {

using f = Frame;
constexpr Case kAcc = Case::kAccusative, kDat = Case::kDative;

constexpr Classes kGoods = kFood | kDrink | kReadable | kVehicle | kFurniture | kThing | kClothing | kDevice;
constexpr Classes kVisible = kPerson | kAnimal | kReadable | kVehicle | kTransit | kBuilding | kFurniture | kThing |
                             kClothing | kPicture | kPlant | kShow;

// clang-format off
constexpr Verb kVerbs[] = {
    // Nothing but a subject
    {"sleep", "slept", "slept", "sleeping", "schlafen", "schläft", "schlief", "geschlafen", "schlaf", f::kIntransitive, kPerson | kPet, 0, kPlaceable | kWell},
    {"laugh", "laughed", "laughed", "laughing", "lachen", "lacht", "lachte", "gelacht", "lach", f::kIntransitive, kPerson, 0, kLoud},
    {"cry", "cried", "cried", "crying", "weinen", "weint", "weinte", "geweint", "wein", f::kIntransitive, kPerson, 0, kLoud},
    {"smile", "smiled", "smiled", "smiling", "lächeln", "lächelt", "lächelte", "gelächelt", "lächle", f::kIntransitive, kPerson},
    {"work", "worked", "worked", "working", "arbeiten", "arbeitet", "arbeitete", "gearbeitet", "arbeite", f::kIntransitive, kAdult, 0, kPlaceable | kSocial | kQuick | kThorough},
    {"dance", "danced", "danced", "dancing", "tanzen", "tanzt", "tanzte", "getanzt", "tanz", f::kIntransitive, kPerson, 0, kPlaceable | kSocial | kWell},
    {"sing", "sang", "sung", "singing", "singen", "singt", "sang", "gesungen", "sing", f::kIntransitive, kPerson, 0, kPlaceable | kLoud | kWell},
    {"swim", "swam", "swum", "swimming", "schwimmen", "schwimmt", "schwamm", "geschwommen", "schwimm", f::kIntransitive, kPerson, 0, kSein | kSocial | kWell | kQuick},
    {"play", "played", "played", "playing", "spielen", "spielt", "spielte", "gespielt", "spiel", f::kIntransitive, kChild | kPet, 0, kPlaceable | kSocial},
    {"cook", "cooked", "cooked", "cooking", "kochen", "kocht", "kochte", "gekocht", "koch", f::kIntransitive, kAdult, 0, kPlaceable | kSocial | kWell},
    {"study", "studied", "studied", "studying", "studieren", "studiert", "studierte", "studiert", "", f::kIntransitive, kAdult, 0, kPlaceable | kStative},
    {"get up", "got", "got", "getting", "auf|stehen", "steht", "stand", "aufgestanden", "steh", f::kIntransitive, kPerson, 0, kSein | kQuick},
    {"fall asleep", "fell", "fallen", "falling", "ein|schlafen", "schläft", "schlief", "eingeschlafen", "", f::kIntransitive, kPerson | kPet, 0, kSein | kPunctual},
    {"wake up", "woke", "woken", "waking", "auf|wachen", "wacht", "wachte", "aufgewacht", "", f::kIntransitive, kPerson | kPet, 0, kSein | kPunctual},
    {"arrive", "arrived", "arrived", "arriving", "an|kommen", "kommt", "kam", "angekommen", "", f::kIntransitive, kAdult | kTransit, 0, kSein | kPunctual},
    {"come back", "came", "come", "coming", "zurück|kommen", "kommt", "kam", "zurückgekommen", "komm", f::kIntransitive, kPerson, 0, kSein},
    {"go away", "went", "gone", "going", "weg|gehen", "geht", "ging", "weggegangen", "geh", f::kIntransitive, kPerson, 0, kSein},
    {"go shopping", "went", "gone", "going", "ein|kaufen", "kauft", "kaufte", "eingekauft", "kauf", f::kIntransitive, kAdult, 0, kSocial},
    {"go for a walk", "went", "gone", "going", "spazieren |gehen", "geht", "ging", "spazieren gegangen", "geh", f::kIntransitive, kAdult, 0, kSein | kSocial},
    {"play the piano", "played", "played", "playing", "Klavier |spielen", "spielt", "spielte", "Klavier gespielt", "spiel", f::kIntransitive, kPerson, 0, kPlaceable | kWell},
    {"play the guitar", "played", "played", "playing", "Gitarre |spielen", "spielt", "spielte", "Gitarre gespielt", "spiel", f::kIntransitive, kPerson, 0, kPlaceable | kWell},
    {"play football", "played", "played", "playing", "Fußball |spielen", "spielt", "spielte", "Fußball gespielt", "spiel", f::kIntransitive, kPerson, 0, kSocial | kWell},
    {"rest", "rested", "rested", "resting", "sich aus|ruhen", "ruht", "ruhte", "ausgeruht", "ruh", f::kIntransitive, kPerson, 0, kPlaceable},
    {"hurry", "hurried", "hurried", "hurrying", "sich beeilen", "beeilt", "beeilte", "beeilt", "beeil", f::kIntransitive, kPerson},
    {"get dressed", "got", "got", "getting", "sich an|ziehen", "zieht", "zog", "angezogen", "zieh", f::kIntransitive, kPerson, 0, kQuick},
    {"sit down", "sat", "sat", "sitting", "sich setzen", "setzt", "setzte", "gesetzt", "setz", f::kIntransitive, kPerson, 0, kPunctual},
    {"bloom", "bloomed", "bloomed", "blooming", "blühen", "blüht", "blühte", "geblüht", "", f::kIntransitive, kPlant},
    {"begin", "began", "begun", "beginning", "beginnen", "beginnt", "begann", "begonnen", "", f::kIntransitive, kEvent | kShow, 0, kPunctual},
    // An object in the accusative
    {"read", "read", "read", "reading", "lesen", "liest", "las", "gelesen", "lies", f::kTransitive, kPerson, kReadable, kPlaceable | kThorough | kQuick},
    {"write", "wrote", "written", "writing", "schreiben", "schreibt", "schrieb", "geschrieben", "schreib", f::kTransitive, kPerson, kText, kPlaceable | kPassive},
    {"eat", "ate", "eaten", "eating", "essen", "isst", "aß", "gegessen", "iss", f::kTransitive, kPerson | kPet, kFood, kPlaceable | kQuick},
    {"drink", "drank", "drunk", "drinking", "trinken", "trinkt", "trank", "getrunken", "trink", f::kTransitive, kPerson, kDrink, kPlaceable | kQuick},
    {"buy", "bought", "bought", "buying", "kaufen", "kauft", "kaufte", "gekauft", "kauf", f::kTransitive, kAdult, kGoods | kPlant, kForSomebody | kPassive},
    {"sell", "sold", "sold", "selling", "verkaufen", "verkauft", "verkaufte", "verkauft", "verkauf", f::kTransitive, kAdult, kVehicle | kFurniture | kClothing | kDevice, kPassive},
    {"see", "saw", "seen", "seeing", "sehen", "sieht", "sah", "gesehen", "", f::kTransitive, kPerson, kVisible, kStative},
    {"hear", "heard", "heard", "hearing", "hören", "hört", "hörte", "gehört", "", f::kTransitive, kPerson, kPerson | kAnimal | kSong, kStative},
    {"love", "loved", "loved", "loving", "lieben", "liebt", "liebte", "geliebt", "", f::kTransitive, kPerson, kRelation | kPet | kSong | kText, kStative | kSimplePast | kOpinion},
    {"like", "liked", "liked", "liking", "mögen", "mag", "mochte", "gemocht", "", f::kTransitive, kPerson, kPerson | kAnimal | kFood | kDrink | kSong | kClothing | kShow | kText | kFeature, kStative | kSimplePast | kOpinion},
    {"know", "knew", "known", "knowing", "kennen", "kennt", "kannte", "gekannt", "", f::kTransitive, kPerson, kPerson | kVenue | kSong | kTale | kText | kFeature, kStative | kSimplePast | kOpinion},
    {"need", "needed", "needed", "needing", "brauchen", "braucht", "brauchte", "gebraucht", "", f::kTransitive, kPerson, kVehicle | kThing | kClothing | kFurniture | kDevice, kStative | kSimplePast | kOpinion},
    {"have", "had", "had", "having", "haben", "hat", "hatte", "gehabt", "", f::kTransitive, kAdult, kPet | kVehicle | kThing | kClothing | kDevice | kTopic, kStative | kSimplePast},
    {"understand", "understood", "understood", "understanding", "verstehen", "versteht", "verstand", "verstanden", "", f::kTransitive, kPerson, kTopic | kTale | kText, kStative},
    {"look for", "looked", "looked", "looking", "suchen", "sucht", "suchte", "gesucht", "such", f::kTransitive, kPerson, kPerson | kPet | kThing | kClothing | kPublication, kPlaceable},
    {"find", "found", "found", "finding", "finden", "findet", "fand", "gefunden", "", f::kTransitive, kPerson, kThing | kClothing | kPet | kPublication, kPunctual | kPlaceable},
    {"lose", "lost", "lost", "losing", "verlieren", "verliert", "verlor", "verloren", "verlier", f::kTransitive, kPerson, kThing | kClothing, kPunctual | kPlaceable | kOnce},
    {"forget", "forgot", "forgotten", "forgetting", "vergessen", "vergisst", "vergaß", "vergessen", "vergiss", f::kTransitive, kPerson, kThing | kTopic | kReadable | kClothing, kPunctual},
    {"open", "opened", "opened", "opening", "öffnen", "öffnet", "öffnete", "geöffnet", "öffne", f::kTransitive, kPerson, kOpening, kCareful | kQuick | kPassive},
    {"close", "closed", "closed", "closing", "schließen", "schließt", "schloss", "geschlossen", "schließ", f::kTransitive, kPerson, kOpening, kCareful | kQuick | kPassive},
    {"visit", "visited", "visited", "visiting", "besuchen", "besucht", "besuchte", "besucht", "besuch", f::kTransitive, kPerson, kPerson | kVenue, kSocial},
    {"meet", "met", "met", "meeting", "treffen", "trifft", "traf", "getroffen", "triff", f::kTransitive, kPerson, kPerson, kPlaceable},
    {"greet", "greeted", "greeted", "greeting", "grüßen", "grüßt", "grüßte", "gegrüßt", "grüß", f::kTransitive, kPerson, kPerson},
    {"save", "saved", "saved", "saving", "retten", "rettet", "rettete", "gerettet", "rette", f::kTransitive, kAdult, kPerson | kPet, kPassive | kOnce},
    {"repair", "repaired", "repaired", "repairing", "reparieren", "repariert", "reparierte", "repariert", "reparier", f::kTransitive, kAdult, kVehicle | kDevice, kThorough | kQuick | kPassive | kForSomebody},
    {"clean", "cleaned", "cleaned", "cleaning", "putzen", "putzt", "putzte", "geputzt", "putz", f::kTransitive, kPerson, kRoom, kQuick | kThorough | kPassive},
    {"wash", "washed", "washed", "washing", "waschen", "wäscht", "wusch", "gewaschen", "wasch", f::kTransitive, kPerson, kVehicle | kClothing | kPet, kQuick | kThorough | kPassive},
    {"build", "built", "built", "building", "bauen", "baut", "baute", "gebaut", "bau", f::kTransitive, kAdult, kBuilding, kPassive | kForSomebody | kOnce},
    {"paint", "painted", "painted", "painting", "malen", "malt", "malte", "gemalt", "mal", f::kTransitive, kPerson, kPlant | kAnimal, kPlaceable | kForSomebody},
    {"draw", "drew", "drawn", "drawing", "zeichnen", "zeichnet", "zeichnete", "gezeichnet", "zeichne", f::kTransitive, kPerson, kAnimal | kPlant | kVehicle, kPlaceable},
    {"photograph", "photographed", "photographed", "photographing", "fotografieren", "fotografiert", "fotografierte", "fotografiert", "fotografier", f::kTransitive, kPerson, kAnimal | kPerson | kPlant | kBuilding, 0},
    {"carry", "carried", "carried", "carrying", "tragen", "trägt", "trug", "getragen", "trag", f::kTransitive, kPerson, kThing | kFurniture, kCareful},
    {"wear", "wore", "worn", "wearing", "tragen", "trägt", "trug", "getragen", "trag", f::kTransitive, kPerson, kClothing, 0},
    {"feed", "fed", "fed", "feeding", "füttern", "füttert", "fütterte", "gefüttert", "füttere", f::kTransitive, kPerson, kPet, kPassive},
    {"sing", "sang", "sung", "singing", "singen", "singt", "sang", "gesungen", "sing", f::kTransitive, kPerson, kSong, kLoud | kPlaceable | kSocial},
    {"cook", "cooked", "cooked", "cooking", "kochen", "kocht", "kochte", "gekocht", "koch", f::kTransitive, kAdult, kDish, kForSomebody},
    {"bake", "baked", "baked", "baking", "backen", "backt", "backte", "gebacken", "back", f::kTransitive, kAdult, kPastry, kForSomebody | kSocial},
    {"learn", "learned", "learned", "learning", "lernen", "lernt", "lernte", "gelernt", "lern", f::kTransitive, kPerson, kTask, kSocial},
    {"answer", "answered", "answered", "answering", "beantworten", "beantwortet", "beantwortete", "beantwortet", "beantworte", f::kTransitive, kPerson, kInquiry, kQuick | kThorough},
    {"steal", "stole", "stolen", "stealing", "stehlen", "stiehlt", "stahl", "gestohlen", "", f::kTransitive, kAdult, kThing | kVehicle, kPassive | kOnce},
    {"pay for", "paid", "paid", "paying", "bezahlen", "bezahlt", "bezahlte", "bezahlt", "bezahl", f::kTransitive, kAdult, kFood | kDrink | kClothing},
    {"order", "ordered", "ordered", "ordering", "bestellen", "bestellt", "bestellte", "bestellt", "bestell", f::kTransitive, kAdult, kFood | kDrink, kForSomebody},
    {"watch", "watched", "watched", "watching", "sich an|sehen", "sieht", "sah", "angesehen", "sieh", f::kTransitive, kPerson, kShow, kDativeSich | kSocial},
    {"look at", "looked", "looked", "looking", "an|sehen", "sieht", "sah", "angesehen", "sieh", f::kTransitive, kPerson, kPicture | kPerson | kAnimal},
    {"call", "called", "called", "calling", "an|rufen", "ruft", "rief", "angerufen", "ruf", f::kTransitive, kPerson, kPerson},
    {"invite", "invited", "invited", "inviting", "ein|laden", "lädt", "lud", "eingeladen", "lade", f::kTransitive, kPerson, kPerson, kPassive},
    {"pick|up", "picked", "picked", "picking", "ab|holen", "holt", "holte", "abgeholt", "hol", f::kTransitive, kAdult, kPerson, kPassive},
    {"bring|along", "brought", "brought", "bringing", "mit|bringen", "bringt", "brachte", "mitgebracht", "bring", f::kTransitive, kPerson, kFood | kDrink | kThing, kPunctual},
    {"take|off", "took", "taken", "taking", "aus|ziehen", "zieht", "zog", "ausgezogen", "zieh", f::kTransitive, kPerson, kClothing, kQuick},
    {"try|on", "tried", "tried", "trying", "an|probieren", "probiert", "probierte", "anprobiert", "probier", f::kTransitive, kPerson, kClothing},
    {"turn|off", "turned", "turned", "turning", "aus|schalten", "schaltet", "schaltete", "ausgeschaltet", "schalte", f::kTransitive, kPerson, kDevice, kPassive},
    {"turn|on", "turned", "turned", "turning", "ein|schalten", "schaltet", "schaltete", "eingeschaltet", "schalte", f::kTransitive, kPerson, kDevice},
    {"throw|away", "threw", "thrown", "throwing", "weg|werfen", "wirft", "warf", "weggeworfen", "wirf", f::kTransitive, kPerson, kPublication | kClothing | kFood, kPassive},
    {"tidy|up", "tidied", "tidied", "tidying", "auf|räumen", "räumt", "räumte", "aufgeräumt", "räum", f::kTransitive, kPerson, kRoom, kQuick | kPassive},
    {"lock", "locked", "locked", "locking", "ab|schließen", "schließt", "schloss", "abgeschlossen", "schließ", f::kTransitive, kPerson, kVehicle, kQuick | kPassive},
    {"prepare", "prepared", "prepared", "preparing", "vor|bereiten", "bereitet", "bereitete", "vorbereitet", "bereite", f::kTransitive, kAdult, kEvent, kThorough | kPassive},
    {"choose", "chose", "chosen", "choosing", "aus|suchen", "sucht", "suchte", "ausgesucht", "such", f::kTransitive, kPerson, kClothing | kFurniture | kPicture | kReadable, kForSomebody},
    // An object in the dative
    {"help", "helped", "helped", "helping", "helfen", "hilft", "half", "geholfen", "hilf", f::kDative, kPerson, kPerson, kPlaceable},
    {"thank", "thanked", "thanked", "thanking", "danken", "dankt", "dankte", "gedankt", "dank", f::kDative, kPerson, kPerson, 0},
    {"follow", "followed", "followed", "following", "folgen", "folgt", "folgte", "gefolgt", "folg", f::kDative, kPerson | kPet, kPerson | kPet, kSein},
    {"belong to", "belonged", "belonged", "belonging", "gehören", "gehört", "gehörte", "gehört", "", f::kDative, kVehicle | kThing | kClothing | kReadable | kDevice, kPerson, kStative | kSimplePast},
    {"answer", "answered", "answered", "answering", "antworten", "antwortet", "antwortete", "geantwortet", "antworte", f::kDative, kPerson, kPerson, kQuick | kLoud},
    {"believe", "believed", "believed", "believing", "glauben", "glaubt", "glaubte", "geglaubt", "glaub", f::kDative, kPerson, kPerson, kStative},
    {"trust", "trusted", "trusted", "trusting", "vertrauen", "vertraut", "vertraute", "vertraut", "vertrau", f::kDative, kPerson, kPerson, kStative},
    {"congratulate", "congratulated", "congratulated", "congratulating", "gratulieren", "gratuliert", "gratulierte", "gratuliert", "gratulier", f::kDative, kPerson, kPerson},
    {"forgive", "forgave", "forgiven", "forgiving", "verzeihen", "verzeiht", "verzieh", "verziehen", "verzeih", f::kDative, kPerson, kPerson, kPunctual},
    {"listen to", "listened", "listened", "listening", "zu|hören", "hört", "hörte", "zugehört", "hör", f::kDative, kPerson, kPerson},
    {"watch", "watched", "watched", "watching", "zu|sehen", "sieht", "sah", "zugesehen", "sieh", f::kDative, kPerson, kPerson | kAnimal},
    {"wave to", "waved", "waved", "waving", "zu|winken", "winkt", "winkte", "zugewinkt", "wink", f::kDative, kPerson, kPerson},
    // A recipient and a thing
    {"give", "gave", "given", "giving", "geben", "gibt", "gab", "gegeben", "gib", f::kDitransitive, kPerson, kFood | kDrink | kReadable | kThing | kPlant},
    {"show", "showed", "shown", "showing", "zeigen", "zeigt", "zeigte", "gezeigt", "zeig", f::kDitransitive, kPerson, kPicture | kReadable | kThing | kRoom | kVenue | kVehicle},
    {"send", "sent", "sent", "sending", "schicken", "schickt", "schickte", "geschickt", "schick", f::kDitransitive, kPerson, kText | kPicture | kThing},
    {"bring", "brought", "brought", "bringing", "bringen", "bringt", "brachte", "gebracht", "bring", f::kDitransitive, kPerson, kFood | kDrink | kThing | kReadable},
    {"tell", "told", "told", "telling", "erzählen", "erzählt", "erzählte", "erzählt", "erzähl", f::kDitransitive, kPerson, kTale, kPlaceable},
    {"lend", "lent", "lent", "lending", "leihen", "leiht", "lieh", "geliehen", "leih", f::kDitransitive, kPerson, kVehicle | kReadable | kClothing | kThing},
    {"buy", "bought", "bought", "buying", "kaufen", "kauft", "kaufte", "gekauft", "kauf", f::kDitransitive, kAdult, kClothing | kVehicle | kToy | kReadable | kPastry},
    {"write", "wrote", "written", "writing", "schreiben", "schreibt", "schrieb", "geschrieben", "schreib", f::kDitransitive, kPerson, kText},
    {"promise", "promised", "promised", "promising", "versprechen", "verspricht", "versprach", "versprochen", "versprich", f::kDitransitive, kAdult, kToy | kPet | kVehicle | kPastry, kPunctual},
    {"offer", "offered", "offered", "offering", "an|bieten", "bietet", "bot", "angeboten", "biete", f::kDitransitive, kAdult, kFood | kDrink},
    {"explain", "explained", "explained", "explaining", "erklären", "erklärt", "erklärte", "erklärt", "erklär", f::kDitransitive, kPerson, kTopic, kToRecipient | kPlaceable},
    {"recommend", "recommended", "recommended", "recommending", "empfehlen", "empfiehlt", "empfahl", "empfohlen", "empfiehl", f::kDitransitive, kAdult, kReadable | kShow | kVenue, kToRecipient},
    {"return", "returned", "returned", "returning", "zurück|geben", "gibt", "gab", "zurückgegeben", "gib", f::kDitransitive, kPerson, kReadable | kThing | kClothing, kToRecipient},
    // An object behind a preposition
    {"wait for", "waited", "waited", "waiting", "warten", "wartet", "wartete", "gewartet", "warte", f::kPrepositional, kPerson, kPerson | kTransit, kPlaceable, "auf", kAcc},
    {"think of", "thought", "thought", "thinking", "denken", "denkt", "dachte", "gedacht", "denk", f::kPrepositional, kPerson, kPerson | kEvent, 0, "an", kAcc},
    {"think about", "thought", "thought", "thinking", "nach|denken", "denkt", "dachte", "nachgedacht", "denk", f::kPrepositional, kPerson, kTopic, 0, "über", kAcc},
    {"talk to", "talked", "talked", "talking", "sprechen", "spricht", "sprach", "gesprochen", "sprich", f::kPrepositional, kPerson, kPerson, kPlaceable, "mit", kDat},
    {"talk about", "talked", "talked", "talking", "sprechen", "spricht", "sprach", "gesprochen", "sprich", f::kPrepositional, kPerson, kTopic | kEvent | kShow | kText | kTale, kLoud, "über", kAcc},
    {"dream of", "dreamed", "dreamed", "dreaming", "träumen", "träumt", "träumte", "geträumt", "", f::kPrepositional, kPerson, kVehicle | kEvent | kAnimal | kPastry, 0, "von", kDat},
    {"laugh at", "laughed", "laughed", "laughing", "lachen", "lacht", "lachte", "gelacht", "lach", f::kPrepositional, kPerson, kTale | kTopic, kLoud, "über", kAcc},
    {"look after", "looked", "looked", "looking", "auf|passen", "passt", "passte", "aufgepasst", "pass", f::kPrepositional, kPerson, kChild | kPet | kThing, 0, "auf", kAcc},
    {"take care of", "took", "taken", "taking", "sich kümmern", "kümmert", "kümmerte", "gekümmert", "kümmere", f::kPrepositional, kAdult, kPerson | kPet | kPlant | kTopic, 0, "um", kAcc},
    {"take part in", "took", "taken", "taking", "teil|nehmen", "nimmt", "nahm", "teilgenommen", "nimm", f::kPrepositional, kPerson, kContest, 0, "an", kDat},
    {"look forward to", "looked", "looked", "looking", "sich freuen", "freut", "freute", "gefreut", "", f::kPrepositional, kPerson, kEvent | kShow, kStative, "auf", kAcc},
    {"remember", "remembered", "remembered", "remembering", "sich erinnern", "erinnert", "erinnerte", "erinnert", "erinnere", f::kPrepositional, kPerson, kPerson | kEvent | kTale | kFeature, kStative, "an", kAcc},
    {"complain about", "complained", "complained", "complaining", "sich beschweren", "beschwert", "beschwerte", "beschwert", "", f::kPrepositional, kAdult, kCircumstance | kFood | kTransit | kFeature, kLoud, "über", kAcc},
    {"apologise to", "apologised", "apologised", "apologising", "sich entschuldigen", "entschuldigt", "entschuldigte", "entschuldigt", "entschuldige", f::kPrepositional, kPerson, kPerson, 0, "bei", kDat},
    {"ask for", "asked", "asked", "asking", "bitten", "bittet", "bat", "gebeten", "bitte", f::kPrepositional, kPerson, kFood | kDrink | kThing, 0, "um", kAcc},
    {"play with", "played", "played", "playing", "spielen", "spielt", "spielte", "gespielt", "spiel", f::kPrepositional, kChild, kToy | kPet, kPlaceable, "mit", kDat},
    // Going and being somewhere
    {"go", "went", "gone", "going", "gehen", "geht", "ging", "gegangen", "geh", f::kMotion, kPerson, 0, kSein | kSocial | kNearby | kQuick | kAsksWhereTo},
    {"run", "ran", "run", "running", "laufen", "läuft", "lief", "gelaufen", "lauf", f::kMotion, kPerson | kPet, 0, kSein | kNearby | kQuick | kAsksWhereTo},
    {"come", "came", "come", "coming", "kommen", "kommt", "kam", "gekommen", "komm", f::kMotion, kPerson, 0, kSein | kSocial | kNearby | kAbroad},
    {"drive", "drove", "driven", "driving", "fahren", "fährt", "fuhr", "gefahren", "fahr", f::kMotion, kAdult, 0, kSein | kSocial | kNearby | kAbroad | kQuick | kAsksWhereTo},
    {"travel", "travelled", "travelled", "travelling", "reisen", "reist", "reiste", "gereist", "reise", f::kMotion, kAdult, 0, kSein | kSocial | kAbroad | kAsksWhereTo | kByVehicle},
    {"fly", "flew", "flown", "flying", "fliegen", "fliegt", "flog", "geflogen", "flieg", f::kMotion, kAdult, 0, kSein | kSocial | kAbroad | kAsksWhereTo},
    {"move", "moved", "moved", "moving", "um|ziehen", "zieht", "zog", "umgezogen", "", f::kMotion, kAdult, 0, kSein | kSocial | kAbroad | kPunctual | kOnce},
    {"live", "lived", "lived", "living", "wohnen", "wohnt", "wohnte", "gewohnt", "", f::kPosition, kAdult, 0, kStative | kSocial},
    {"stay", "stayed", "stayed", "staying", "bleiben", "bleibt", "blieb", "geblieben", "bleib", f::kPosition, kPerson, 0, kSein | kSocial},
    {"sit", "sat", "sat", "sitting", "sitzen", "sitzt", "saß", "gesessen", "", f::kPosition, kPerson | kPet, 0, kSocial | kOnFurniture},
    {"stand", "stood", "stood", "standing", "stehen", "steht", "stand", "gestanden", "", f::kPosition, kPerson | kPet, 0, kByLandmark},
    {"lie", "lay", "lain", "lying", "liegen", "liegt", "lag", "gelegen", "", f::kPosition, kThing | kPublication | kClothing | kPet, 0, kOnFurniture},
    {"put", "put", "put", "putting", "legen", "legt", "legte", "gelegt", "leg", f::kPlacing, kPerson, kThing | kReadable | kClothing, kCareful},
    // With a clause
    {"say", "said", "said", "saying", "sagen", "sagt", "sagte", "gesagt", "", f::kReport, kPerson, 0, kTakesThat},
    {"know", "knew", "known", "knowing", "wissen", "weiß", "wusste", "gewusst", "", f::kReport, kPerson, 0, kTakesThat | kTakesWhether | kStative | kSimplePast},
    {"believe", "believed", "believed", "believing", "glauben", "glaubt", "glaubte", "geglaubt", "", f::kReport, kPerson, 0, kTakesThat | kStative},
    {"hope", "hoped", "hoped", "hoping", "hoffen", "hofft", "hoffte", "gehofft", "", f::kReport, kPerson, 0, kTakesThat | kStative},
    {"hear", "heard", "heard", "hearing", "hören", "hört", "hörte", "gehört", "", f::kReport, kPerson, 0, kTakesThat | kStative},
    {"tell", "told", "told", "telling", "erzählen", "erzählt", "erzählte", "erzählt", "", f::kReport, kPerson, kPerson, kTakesThat | kAddressee, nullptr, kDat},
    {"ask", "asked", "asked", "asking", "fragen", "fragt", "fragte", "gefragt", "", f::kReport, kPerson, kPerson, kTakesWhether | kAddressee},
    {"wonder", "wondered", "wondered", "wondering", "sich fragen", "fragt", "fragte", "gefragt", "", f::kReport, kPerson, 0, kTakesWhether | kStative},
    // With an infinitive
    {"try", "tried", "tried", "trying", "versuchen", "versucht", "versuchte", "versucht", "", f::kIntention, kPerson},
    {"hope", "hoped", "hoped", "hoping", "hoffen", "hofft", "hoffte", "gehofft", "", f::kIntention, kPerson, 0, kStative},
    {"forget", "forgot", "forgotten", "forgetting", "vergessen", "vergisst", "vergaß", "vergessen", "vergiss", f::kIntention, kPerson, 0, kPunctual},
    {"begin", "began", "begun", "beginning", "an|fangen", "fängt", "fing", "angefangen", "", f::kIntention, kPerson, 0, kPunctual},
    {"stop", "stopped", "stopped", "stopping", "auf|hören", "hört", "hörte", "aufgehört", "", f::kIntention, kPerson, 0, kPunctual | kTakesGerund},
    {"decide", "decided", "decided", "deciding", "beschließen", "beschließt", "beschloss", "beschlossen", "", f::kIntention, kPerson, 0, kPunctual},
    {"plan", "planned", "planned", "planning", "planen", "plant", "plante", "geplant", "", f::kIntention, kAdult, 0, kStative},
    {"ask", "asked", "asked", "asking", "bitten", "bittet", "bat", "gebeten", "bitte", f::kIntention, kPerson, kPerson, kAddressee},
    {"allow", "allowed", "allowed", "allowing", "erlauben", "erlaubt", "erlaubte", "erlaubt", "", f::kIntention, kAdult, kChild, kAddressee | kPunctual, nullptr, kDat},
    // Being, existing, costing, raining
    {"be", "was", "been", "being", "sein", "ist", "war", "gewesen", "", f::kCopula, kAnimate, 0, kSein | kSimplePast | kStative},
    {"be", "was", "been", "being", "geben", "gibt", "gab", "gegeben", "", f::kExistence, 0, kBuilding | kVenue | kPlant, kSimplePast | kStative},
    {"cost", "cost", "cost", "costing", "kosten", "kostet", "kostete", "gekostet", "", f::kPrice, kGoods, 0, kStative},
    {"rain", "rained", "rained", "raining", "regnen", "regnet", "regnete", "geregnet", "", f::kWeather, 0},
    {"snow", "snowed", "snowed", "snowing", "schneien", "schneit", "schneite", "geschneit", "", f::kWeather, 0},
};
// clang-format on

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

const Verb& verb(std::string_view en, Frame frame) {
  for (const Verb& entry : kVerbs) {
    if (entry.en == en && entry.frame == frame) return entry;
  }
  fail("the demo lexicon has no verb '{}' of that frame", en);
}

}  // namespace verbund::demo
