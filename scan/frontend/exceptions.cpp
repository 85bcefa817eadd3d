// Exceptions: any call in the body of a try may lead to its handlers, with the locks that are held there and without what is unwound; what
// is thrown and not caught ends the function, which does not come back to its caller.
// Where threads are started or waited for in the body, nobody knows in a handler which are running: it counts as alone.
// Deviation: which exception a handler takes is not looked at (A6), and a caller that does not catch is not left.
#include "scan/frontend/function.h"

#include "clang/AST/ExprCXX.h"

#include <algorithm>
#include <utility>

namespace footrace::scan::frontend {

namespace {

bool may_leave(const il::Statement& statement) {
  return std::holds_alternative<il::LockOp>(statement.what) ||
         std::holds_alternative<il::Call>(statement.what);
}

bool starts_or_ends_thread(const il::Statement& statement) {
  const auto* call = std::get_if<il::Call>(&statement.what);
  return call && (call->kind == il::CallKind::Spawn || call->kind == il::CallKind::Join);
}

const clang::Stmt* last_statement(const clang::CFGBlock& block) {
  for (auto element = block.rbegin(); element != block.rend(); ++element)
    if (auto statement = element->getAs<clang::CFGStmt>()) return statement->getStmt();
  return nullptr;
}

// Where an exception goes on: a throw, or the choice of a handler that may find none. Null: the block does something else.
const clang::Stmt* unwinds_at(const clang::CFGBlock& block) {
  const clang::Stmt* last = last_statement(block);
  if (last && clang::isa<clang::CXXThrowExpr>(last)) return last;
  const clang::Stmt* terminator = block.getTerminatorStmt();
  return terminator && clang::isa<clang::CXXTryStmt>(terminator) ? terminator : nullptr;
}

} // namespace

void FunctionLowering::find_handlers(const clang::CFG& cfg) {
  for (auto block = cfg.try_blocks_begin(); block != cfg.try_blocks_end(); ++block)
    handlers_[(*block)->getTerminatorStmt()] = {
        *block, cfg.getEntry().getBlockID() - (*block)->getBlockID(), {}, false};
}

bool FunctionLowering::is_in_handler(const clang::CFGBlock& block, const clang::CXXTryStmt& caught) const {
  const clang::Stmt* last = last_statement(block);
  return clang::isa_and_nonnull<clang::CXXCatchStmt>(block.getLabel()) ||
         (last && tries_.is_part_of(*last, caught));
}

// After a part was lowered.
void FunctionLowering::note_threads(const clang::CFGElement& element) {
  auto statement = element.getAs<clang::CFGStmt>();
  if (!statement || handlers_.empty() || std::ranges::none_of(*out_, starts_or_ends_thread)) return;
  for (const clang::CXXTryStmt* caught = tries_.around(*statement->getStmt()); caught;
       caught = tries_.around(*caught)) {
    auto handlers = handlers_.find(caught);
    if (handlers == handlers_.end() || handlers->second.alone) continue;
    handlers->second.alone = true;
    const clang::CFGBlock* meet = meet_of(*handlers->second.choice);
    while (meet && is_in_handler(*meet, *caught)) meet = meet_of(*meet);
    if (meet) releases_[meet].push_back(il::only_thread());
  }
}

void FunctionLowering::lower_handlers_alone() {
  const il::LockOp alone{il::LockAction::Acquire, il::LockMode::Exclusive, true, il::only_thread()};
  for (const auto& [caught, handlers] : handlers_)
    if (handlers.alone)
      for (unsigned way : handlers.ways) method_.blocks[way].statements.push_back({method_.at, alone});
}

void FunctionLowering::may_throw(const clang::CFGElement& element) {
  auto statement = element.getAs<clang::CFGStmt>();
  const clang::CXXTryStmt* caught = statement ? tries_.around(*statement->getStmt()) : nullptr;
  if (!caught || !handlers_.contains(caught)) return;
  bool first = !std::exchange(in_try_, true);
  if (!first && std::ranges::none_of(*out_, may_leave)) return;
  unsigned handlers = unwinding(*statement->getStmt(), *caught);
  unsigned next = unsigned(method_.blocks.size());
  method_.blocks.emplace_back();
  method_.blocks[here_] = {std::move(*out_), {next, handlers}};
  out_->clear();
  here_ = next;
}

// Clang leads a throw to the handlers, or to the end of the function.
void FunctionLowering::lower_unwinding(const clang::CFGBlock& block, std::vector<unsigned>& successors) {
  const clang::Stmt* thrown_at = unwinds_at(block);
  if (!thrown_at) return;
  const clang::CXXTryStmt* caught = tries_.around(*thrown_at);
  const clang::CFGBlock& exit = block.getParent()->getExit();
  unsigned i = 0;
  for (const clang::CFGBlock::AdjacentBlock& next : block.succs()) {
    const clang::CFGBlock* target =
        next.getReachableBlock() ? next.getReachableBlock() : next.getPossiblyUnreachableBlock();
    if (!target || i >= successors.size()) continue;
    if (target == &exit)
      successors[i] = nowhere();
    else if (caught && target->getTerminatorStmt() == caught)
      successors[i] = unwinding(*thrown_at, *caught);
    ++i;
  }
}

unsigned FunctionLowering::unwinding(const clang::Stmt& thrown_at, const clang::CXXTryStmt& caught) {
  std::vector<il::Statement> ends;
  std::vector<il::Statement>* before = std::exchange(out_, &ends);
  for (const clang::VarDecl* variable : tries_.ended_between(thrown_at, caught)) end_variable(*variable);
  end_temporaries();
  out_ = before;
  Handlers& handlers = handlers_[&caught];
  method_.blocks.push_back({std::move(ends), {handlers.number}});
  handlers.ways.push_back(unsigned(method_.blocks.size() - 1));
  return handlers.ways.back();
}

unsigned FunctionLowering::nowhere() {
  if (!nowhere_) {
    // Two blocks: one that leads to itself is the end of the program.
    nowhere_ = unsigned(method_.blocks.size());
    method_.blocks.push_back({{}, {*nowhere_ + 1}});
    method_.blocks.push_back({{}, {*nowhere_}});
  }
  return *nowhere_;
}

} // namespace footrace::scan::frontend
