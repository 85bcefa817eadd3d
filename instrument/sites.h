// The site table: one SiteRecord (abi/site.h) per place that is checked, in the section `footrace_sites`.
//
// Records live in one array per function, in the function's comdat: the linker keeps or drops both together.
// Arrays are aligned to, and multiples of, the size of a record, so that the section of the linked module is one array
// without holes.
#pragma once

#include "abi/site.h"
#include "instrument/cover.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

#include <map>
#include <tuple>
#include <vector>

namespace llvm {
class DIFile;
class DILocation;
class DISubprogram;
} // namespace llvm

namespace footrace {

// The optimiser gives merged and synthesised instructions line 0 or nothing. The nearest line of the same
// block and the same inlined body is where a reader looks for them.
const llvm::DILocation* best_location(const llvm::Instruction& at);
std::string joined_path(const llvm::DIFile* file);

// Strings of the site tables of one module, each emitted once.
class SiteStrings {
public:
  explicit SiteStrings(llvm::Module& module) : module_(module) {}
  llvm::Constant* get(llvm::StringRef text);

private:
  llvm::Module& module_;
  llvm::StringMap<llvm::Constant*> strings_;
};

enum class SiteLinkage : uint8_t {
  WithFunction, // in the function's comdat
  Alone, // for link-time optimisation: a body may be inlined into a module that drops the function's comdat
};

// One of several accesses that a check covers.
struct CoveredSite {
  const llvm::Instruction* at;
  SiteKind kind;
  uint64_t size;
  CoverPlace place;
};

// An access that is checked through a proxy (placement/proxies.h), or bytes that are.
struct ProxiedSite {
  SiteRole role; // Proxied or Extent
  const llvm::Instruction* at;
  SiteKind kind;
  uint64_t size;
  llvm::Constant *address, *proxy;
};

class SiteTable {
public:
  SiteTable(llvm::Function& function, SiteStrings& strings);

  // Address of a new record for an access made by `at`. Accesses never share one, even at one place in the
  // source (a macro, a loop that was unrolled): what is the same race is decided where findings are compared,
  // not here.
  llvm::Constant* site(const llvm::Instruction& at, SiteKind kind, uint64_t size);
  // Address of a new record for a check of `size` bytes (0: decided at run time), with the records of what it covers behind it.
  llvm::Constant* check(SiteKind kind, uint64_t size, llvm::ArrayRef<CoveredSite> covered,
                        llvm::ArrayRef<ProxiedSite> proxied = {});
  // A record that names the function only.
  void add_function_record();
  // Emits the records; call once, when no more are asked for.
  void emit(SiteLinkage linkage);

private:
  // A record, and what its first and third word lead to: the strings of a scope, the bytes of a proxied access.
  struct Slot {
    uint32_t words[4];
    llvm::Constant *file = nullptr, *function = nullptr;
  };
  // Where a record is: in which scope, and there.
  struct Where {
    unsigned scope;
    uint32_t line;
    uint16_t column;
  };

  unsigned add(const Slot& slot);
  unsigned add_record(const Where& where, SiteKind kind, SiteRole role, uint64_t size);
  void add_place(const CoverPlace& place, uint32_t covered);
  uint32_t distance_to(unsigned index) const;
  unsigned scope(const llvm::DIFile* file, const llvm::DISubprogram* subprogram,
                 const llvm::DILocation* inlined_at);
  unsigned call_site(const llvm::DILocation* location);
  Where where(const llvm::DILocation* location);
  Where where(const llvm::Instruction& at);
  llvm::Constant* function_name(const llvm::DISubprogram* subprogram);
  llvm::Constant* address(unsigned index) const;
  llvm::Constant* words_with_targets(unsigned index) const;
  llvm::Constant* all_words() const;

  llvm::Function& function_;
  llvm::Module& module_;
  SiteStrings& strings_;
  llvm::GlobalVariable* placeholder_; // stands for the array until its length is known
  std::vector<Slot> slots_;
  std::map<std::tuple<const llvm::DIFile*, const llvm::DISubprogram*, const llvm::DILocation*>, unsigned>
      scopes_;
};

} // namespace footrace
