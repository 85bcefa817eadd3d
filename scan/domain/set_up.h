// What people call before they start something, to judge by its name.
#pragma once

#include "scan/il/il.h"

namespace footrace::scan::domain {

// set_x(x) and on_x(x): it stores what it is given in members, and that is all.
bool is_plain_setter(const il::Method& method);
// init, set up, destroy: called once, before others know the object or after they are done with it.
bool has_name_of_set_up(const il::Method& method);

} // namespace footrace::scan::domain
