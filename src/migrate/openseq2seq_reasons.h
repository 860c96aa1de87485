// Why a key of OpenSeq2Seq's configurations has no counterpart in ours.
#pragma once

#include <string_view>

namespace verbund {

// By the key's last part; a general reason for keys that are not known.
const char* reason_without_counterpart(std::string_view key);

}  // namespace verbund
