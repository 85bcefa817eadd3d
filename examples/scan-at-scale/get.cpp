#include "counter.h"

int Counter::get() const { return value_; }
