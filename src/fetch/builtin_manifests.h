// The manifests of corpora/, compiled into the program.
#pragma once

#include <span>

#include "core/builtin_file.h"

namespace verbund {

std::span<const BuiltinFile> builtin_manifests();

}  // namespace verbund
