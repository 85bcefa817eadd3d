// Places of the program as a trace names them. Site records (abi/site.h) are read from the file that was mapped: nothing in them is changed when it is loaded.
#pragma once

#include "events/source.h"
#include "events/trace_writer.h"

#include "findings/symbolizer.h"

#include <map>
#include <memory>

namespace llvm {
class MemoryBuffer;
}

namespace footrace::record {

class ModuleSites {
public:
  ModuleSites();
  ~ModuleSites();
  // Takes the place of what was at its addresses. False: it is there already.
  bool add(const TraceModule& module);
  // What a site record at an address of the process says. Without one: module and address only.
  TraceSite of_record(u64 address);
  // Bytes that are not checked themselves: who checks the byte `proxy` for this site accesses them as well (SiteRole::Proxied, Extent).
  struct Proxied {
    u64 proxy, begin, size;
    u64 site; // what accesses them
  };
  std::vector<Proxied> proxied_at(u64 address);
  // A call, by its return address: module and address only, which costs nothing while the program runs.
  TraceSite of_return_address(u64 pc) const;
  // The same as the debug information has it.
  TraceSite symbolised(u64 pc);

private:
  struct Image;
  const TraceModule* module_of(u64 address) const;
  Image& image_of(const TraceModule& module);

  std::vector<TraceModule> modules_;
  std::map<std::string, std::unique_ptr<Image>> images_; // by path
  findings::Symbolizer symbolizer_;
  bool knows_modules_ = false; // the symboliser does
};

} // namespace footrace::record
