// CRC-32C (Castagnoli), the checksum of TensorBoard's event files.
#pragma once

#include <cstdint>
#include <string_view>

namespace verbund {

uint32_t crc32c(std::string_view bytes);

}  // namespace verbund
