// A page of a mapped file that is not there any more (the file was cut short) or cannot be read (its disk fails)
// arrives as the signal SIGBUS. Here it becomes a message with the file's name and exit code 1.
#pragma once

#include <cstddef>
#include <string>

namespace verbund {

// Called once, by main.
void install_bus_error_handler();

// Whose addresses these are, as long as they are mapped.
void note_mapped_file(const void* begin, size_t size, const std::string& path);
void forget_mapped_file(const void* begin);

}  // namespace verbund
