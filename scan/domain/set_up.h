// What people call before they start something, to judge by its name.
#pragma once

#include "scan/domain/accesses.h"
#include "scan/il/il.h"

#include <set>

namespace footrace::scan::domain {

// set_x(x) and on_x(x): it stores what it is given in members, and that is all.
bool is_plain_setter(const il::Method& method);
// init, set up, destroy: called once, before others know the object or after they are done with it.
bool has_name_of_set_up(const il::Method& method);

// Which writes of a method prepare something: its name is that of one that does, and it does not look whether that was done already.
class SetUp {
public:
  SetUp(const il::Method& method, const Accesses& accesses);
  bool must_prepare(const AccessKey& access, const AccessPlace& place) const;

private:
  bool has_name_;
  std::set<std::pair<Interned<il::Path>, CallChain>> reads_;
};

} // namespace footrace::scan::domain
