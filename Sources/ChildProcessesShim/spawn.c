#include "ChildProcessesShim.h"
