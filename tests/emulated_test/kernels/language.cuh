// These kernels are for the emulated GPU only.
#pragma once

#include "emulated_language.h"
