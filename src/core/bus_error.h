// SPDX-License-Identifier: Apache-2.0
// The SIGBUS handler turns a lost page of a mapped file (the file was cut short, or its disk fails) into a message with
// the name of the file and exit code 1.
#pragma once

#include <cstddef>
#include <string>

namespace verbund {

// Called once, by main.
void install_bus_error_handler();

// The file that these addresses belong to, while they are mapped.
void note_mapped_file(const void* begin, size_t size, const std::string& path);
void forget_mapped_file(const void* begin);

}  // namespace verbund
