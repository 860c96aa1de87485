// What the signatures of all metrics share.
#pragma once

namespace verbund {

// The sacreBLEU release whose definition of the metrics, tokenisers and signatures is
// followed here. A signature with this version is comparable with that release's own.
inline constexpr char kSacrebleuVersion[] = "2.5.1";

}  // namespace verbund
