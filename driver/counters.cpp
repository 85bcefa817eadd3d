#include "driver/counters.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace footrace::driver {

Counters counters_in(const std::string& text) {
  Counters sum;
  llvm::StringRef rest = text;
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    std::uint64_t value = 0;
    if (!line.consume_front("footrace-stats: ") || line.split(' ').second.getAsInteger(10, value)) continue;
    llvm::StringRef name = line.split(' ').first;
    if (name == "threads_created") {
      sum.processes += 1; // it is there once
      sum.threads += value;
    } else if (name == "races_reported") {
      sum.reported += value;
    } else if (name == "races_suppressed") {
      sum.suppressed += value;
    }
  }
  return sum;
}

Counters read_counters(const std::string& file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  return buffer ? counters_in((*buffer)->getBuffer().str()) : Counters();
}

} // namespace footrace::driver
