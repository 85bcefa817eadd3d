// Who calls each instance of a function.
#pragma once

#include "prove/pointsto.h"

namespace footrace::prove {

struct Caller {
  InstanceId instance;
  const llvm::CallBase* site;
  bool passes_arguments; // false: a library function or a new thread is in between
};

class Callers {
public:
  explicit Callers(const PointsTo& pointers);

  llvm::ArrayRef<Caller> of(InstanceId instance) const { return callers_[instance]; }

private:
  std::vector<std::vector<Caller>> callers_;
};

} // namespace footrace::prove
