// Summaries of earlier runs, in one file. A method is known if its own code, the options and the summaries of all that it calls are
// what they were: after an edit, the methods of that file and those whose callees changed are analysed again, and no others.
#pragma once

#include "scan/domain/analysis.h"
#include "scan/store/archive.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

namespace footrace::scan::store {

class SummaryStore : public domain::KnownSummaries {
public:
  // `identity` stands for the program that makes summaries and its options: those of another are not used. A file that is not
  // there, damaged or of another format holds nothing.
  SummaryStore(std::string file, std::uint64_t identity);

  bool recall(const std::vector<const il::Method*>& members, domain::Summaries& summaries) override;
  void keep(const std::vector<const il::Method*>& members, const domain::Summaries& summaries) override;
  // If something is new. False: it cannot be written.
  bool save() const;

  unsigned analysed() const { return analysed_; } // methods that were kept, not recalled

private:
  struct Entry {
    std::uint64_t key = 0;    // of what the summary was made from
    std::uint64_t digest = 0; // of the summary
    std::string_view bytes;   // in `made`, or in the file
    std::string made;         // in this run
    bool used = false;        // in this run
  };
  void load();
  bool parse(std::string_view head, std::string_view summaries);
  std::uint64_t key_of(const std::vector<const il::Method*>& members) const;

  std::string file_;
  std::uint64_t identity_;
  std::unique_ptr<llvm::MemoryBuffer> loaded_;
  NameTable names_;
  std::unordered_map<il::Name, Entry> entries_;
  unsigned analysed_ = 0;
};

} // namespace footrace::scan::store
