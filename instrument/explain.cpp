#include "instrument/explain.h"

#include "instrument/sites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace llvm;

namespace footrace {
namespace {

std::string size_of(const Access& access) {
  if (access.extent != Extent::Fixed) return "";
  return " of " + std::to_string(access.size) + (access.size == 1 ? " byte" : " bytes");
}

unsigned line_of(const Instruction& at) {
  const DILocation* location = best_location(at);
  return location != nullptr ? location->getLine() : 0;
}

std::string text_of(const std::set<unsigned>& lines) {
  std::string text;
  for (const unsigned line : lines) text += (text.empty() ? "" : ", ") + std::to_string(line);
  return (lines.size() == 1 ? "line " : "lines ") + text;
}

const Instruction& place_of(const Position& position) {
  if (position.before != nullptr) return *position.before;
  // An edge has no line of its own; the loop or branch that it leaves does.
  return *position.from->getTerminator();
}

std::string shape_of(const PlannedCheck& check) {
  const std::string kind = name_of(check.kind);
  switch (check.shape) {
  case Shape::Own:
    return kind + " check";
  case Shape::Fixed:
    return kind + " check of " + std::to_string(check.size) + " bytes";
  case Shape::Range:
    return kind + " check of a range";
  case Shape::Strided:
    return kind + " check of a strided range";
  }
  llvm_unreachable("a shape outside Shape");
}

std::string text_of(const GlobalBytes& bytes) {
  const std::string name = "'" + bytes.variable->getName().str() + "'";
  return bytes.begin == 0 ? name : name + " + " + std::to_string(bytes.begin);
}

// "" if the access is not checked through a proxy.
std::string proxy_of(const Plan& plan, unsigned access) {
  for (const unsigned index : plan.accesses[access].covered_by)
    for (const Proxied& proxied : plan.checks[index].proxied)
      if (is_contained(make_first_range(proxied.accesses), access))
        return text_of(proxied.bytes) + " is checked through its proxy " + text_of(proxied.proxy) + ": ";
  return "";
}

std::string where_covered(const Plan& plan, const PlannedAccess& planned) {
  std::set<unsigned> lines;
  std::string shape;
  for (const unsigned index : planned.covered_by) {
    const PlannedCheck& check = plan.checks[index];
    lines.insert(line_of(place_of(check.position)));
    shape = shape_of(check);
  }
  return shape + " at " + text_of(lines);
}

} // namespace

void Explanation::add_line(const char* what, const Instruction& at, const std::string& text) {
  const DILocation* location = best_location(at);
  if (location == nullptr || location->getLine() == 0) return; // there is no line to show it at
  const DISubprogram* function = location->getScope()->getSubprogram();
  lines_ += what;
  for (const std::string& field :
       {joined_path(location->getFile()), std::to_string(location->getLine()),
        std::to_string(location->getColumn()), function != nullptr ? function->getName().str() : "", text})
    lines_ += "\t" + field;
  lines_ += '\n';
}

void Explanation::add(const Plan& plan, Phase phase) {
  for (unsigned i = 0; i < plan.accesses.size(); ++i) {
    const PlannedAccess& planned = plan.accesses[i];
    const Access& access = planned.access;
    if (access.kind == AccessKind::Fence) continue;
    const bool is_covered = !planned.left_out && !plan.has_own_check(i);
    if (phase == Phase::Early && !is_covered) continue;
    if (planned.left_out == Reason::CoveredInLoop) continue; // said in the early phase
    const std::string what = name_of(access.kind) + size_of(access);
    if (planned.left_out)
      add_line("access", *access.inst, what + ": no check: " + name_of(*planned.left_out));
    else if (!is_covered)
      add_line("access", *access.inst, what + ": checked");
    else
      add_line("access", *access.inst,
               what + ": no check of its own: " + name_of(*planned.rule) + ": " + proxy_of(plan, i) +
                   where_covered(plan, planned));
  }
  for (const PlannedCheck& check : plan.checks) {
    if (check.shape == Shape::Own) continue;
    std::set<unsigned> lines;
    for (const unsigned index : check.covers) lines.insert(line_of(*plan.accesses[index].access.inst));
    add_line("check", place_of(check.position), shape_of(check) + " for " + text_of(lines));
  }
}

void Explanation::write(const std::string& file, LLVMContext& context) const {
  std::error_code error;
  raw_fd_ostream out(file, error, sys::fs::OF_Append);
  if (!error) out << lines_;
  if (error || out.has_error())
    context.emitError("footrace: cannot write '" + file + "': " + (error ? error : out.error()).message());
  out.clear_error();
}

} // namespace footrace
