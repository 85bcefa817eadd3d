// Runs that confirm pairs: the program that the proof has looked at, with the detector, with noise in its schedule and with delays at the accesses
// of the pairs.
#pragma once

#include "driver/installation.h"
#include "driver/prove_options.h"
#include "findings/finding.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace footrace::driver {

class Confirmation {
public:
  explicit Confirmation(std::string folder) : folder_(std::move(folder)) {}

  // Keeps the program as it is before the preparation for the proof. False, after saying why, if that is not possible.
  bool keep(const llvm::Module& module);
  // Builds and runs the program; pairs that were seen to race become certain and come first. What cannot be built or run is said, and confirms
  // nothing.
  void confirm(const ProveOptions& options, const Installation& installation,
               std::vector<findings::Finding>& pairs);

private:
  std::string file(const char* name) const { return folder_ + "/" + name; }
  bool add_points(const std::vector<findings::Finding>& pairs);
  bool build(const ProveOptions& options, const Installation& installation);
  std::vector<findings::Finding> run(unsigned number, const std::vector<std::string>& arguments);

  std::string folder_;
  bool lacks_allocators_ = false; // std::allocator<char>, that the program calls
};

} // namespace footrace::driver
