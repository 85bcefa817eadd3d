// One function -> one method of the intermediate language. Clang's CFG gives the order of evaluation, the implicit
// destructors (which unlock) and both sides of every branch.
#pragma once

#include "scan/frontend/guard_search.h"
#include "scan/frontend/ignored_lines.h"
#include "scan/frontend/library.h"
#include "scan/frontend/paths.h"
#include "scan/frontend/tries.h"
#include "scan/il/il.h"

#include "clang/AST/StmtCXX.h"
#include "clang/Analysis/Analyses/Dominators.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <set>

namespace footrace::scan::frontend {

// What lowering a function finds out about others.
struct Discoveries {
  llvm::DenseSet<const clang::FunctionDecl*> thread_entries;
  std::set<std::pair<il::Name, il::Name>> optional_locks; // a class, and its member
};

class FunctionLowering {
public:
  FunctionLowering(const clang::FunctionDecl& function, IgnoredLines& ignored, Discoveries& discoveries);

  // Nothing if clang cannot make a control-flow graph of it.
  std::optional<il::Method> run();

private:
  // Control flow (function.cpp).
  void lower_blocks(const clang::CFG& cfg);
  void lower_element(const clang::CFGElement& element);
  void end_variable(const clang::VarDecl& variable);
  void lower_try_lock(const clang::CFGBlock& block, std::vector<unsigned>& successors);
  void lower_optional_lock(const clang::CFGBlock& block, std::vector<unsigned>& successors);
  // Where all ways from the block meet again; null: nowhere.
  const clang::CFGBlock* meet_of(const clang::CFGBlock& block);
  // A new block on the way to `successor`.
  unsigned edge_to(unsigned successor, std::vector<decltype(il::Statement::what)> statements);
  void describe_method();
  // Which objects are made where: a constructor alone does not say what it makes.
  void find_owners(const clang::Stmt& statement);
  void find_not_run(const clang::Stmt& statement);

  // Exceptions (exceptions.cpp).
  void find_handlers(const clang::CFG& cfg);
  // Before a part of the body of a try: it may throw, and so may have what was lowered since the last time. Goes on in a new block.
  void may_throw(const clang::CFGElement& element);
  bool is_in_handler(const clang::CFGBlock& block, const clang::CXXTryStmt& caught) const;
  void note_threads(const clang::CFGElement& element);
  void lower_handlers_alone();
  void lower_unwinding(const clang::CFGBlock& block, std::vector<unsigned>& successors);
  unsigned unwinding(const clang::Stmt& thrown_at,
                     const clang::CXXTryStmt& caught); // a block on the way to the handlers
  unsigned nowhere(); // a block that leads to nothing: the function ends with the exception

  // Expressions (expressions.cpp). `visit` lowers what evaluating the expression does, but for parts that are CFG
  // elements of their own.
  void visit(const clang::Stmt* statement);
  void visit_children(const clang::Stmt& statement);
  void visit_part(const clang::Stmt* part);        // unless it was lowered before
  void visit_value(const clang::Expr* expression); // its pointer goes somewhere: not a use
  void visit_place(const clang::Expr* expression); // only where it is, not what is there
  void lower(const clang::DeclStmt& declarations);
  void lower(const clang::VarDecl& variable);
  void lower_variable(const clang::VarDecl& variable);
  void lower(const clang::BinaryOperator& assignment);
  void lower(const clang::UnaryOperator& step);
  void lower(const clang::ReturnStmt& leave);
  void end_returned(const clang::Expr* value);
  void lower(const clang::CXXDeleteExpr& deletion);
  void lower_initializer(const clang::CXXCtorInitializer& initializer);

  // Atomics (atomics.cpp).
  struct AtomicUse {
    const clang::Expr& expression;
    AtomicOp op;
    il::Path atomic;
    std::optional<std::int64_t> value; // that is stored, if it is a constant
    bool exchanges = false, compares = false, clears = false;
    bool counts = false;  // adds or subtracts
    bool takes = false;   // only if it is zero
    bool relaxed = false; // orders nothing
    bool plain = false;   // the variable is none that is only used so
  };
  bool lower_atomic_call(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  bool lower_sync_call(const clang::CallExpr& call, llvm::StringRef name);
  void lower(const clang::AtomicExpr& expression);
  void lower_atomic(const AtomicUse& use);
  void access_plain(const AtomicUse& use);
  void lower_seen(std::vector<unsigned>& successors);

  // What waits for threads (waits.cpp).
  void find_futures(const clang::Stmt& statement);
  void wait_for_threads(clang::SourceLocation at);
  bool must_wait_at_end(const clang::VarDecl& variable) const;
  void end_temporary(const clang::CXXBindTemporaryExpr& temporary);
  il::Call wait_for_future(const clang::Expr* future);
  bool lower_wait(const clang::CallExpr& call, const clang::CXXMethodDecl& method);
  void run_deferred(const clang::CallExpr& started);
  void lower_tried_wait(const clang::CallExpr& call, il::Call wait);
  void lower_awaited(std::vector<unsigned>& successors);
  bool is_join(const clang::Expr* callable) const;

  // Calls (calls.cpp).
  void lower(const clang::CallExpr& call);
  void lower(const clang::CXXConstructExpr& made, il::Value object);
  bool lower_library_function(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  void lower_library_arguments(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  bool hand_off(const clang::CallExpr& call, const clang::FunctionDecl& callee,
                const std::optional<il::Path>& at);
  void call_in_child(const clang::Expr* handler); // of a process that is made by fork()
  void lower_once(llvm::ArrayRef<const clang::Expr*> arguments, const clang::FunctionDecl& callee);
  bool lower_library_object(const clang::CallExpr& call);
  void lower_known_call(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  bool lower_assignment_operator(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  void visit_arguments(llvm::ArrayRef<const clang::Expr*> arguments, const clang::FunctionDecl* callee);
  void visit_argument(const clang::Expr* argument, clang::QualType type);
  std::vector<il::Value> actuals_of(llvm::ArrayRef<const clang::Expr*> arguments,
                                    const clang::FunctionDecl& callee);
  // What a library function is given to call.
  void call_closures(llvm::ArrayRef<const clang::Expr*> arguments, const clang::FunctionDecl* callee);
  bool call_closure(const clang::Expr* callable, il::CallKind kind,
                    llvm::ArrayRef<const clang::Expr*> arguments = {});
  // A closure, a function, or std::bind of one.
  std::optional<il::Closure> closure_of(const clang::Expr* callable);
  struct Callable {
    const clang::FunctionDecl* function;
    std::vector<il::Value> captured; // its first actuals
  };
  std::optional<Callable> callable_of(const clang::Expr* callable);
  std::optional<Callable> functor_of(const clang::Expr* object);
  const clang::Expr* kept_function(const clang::Expr* variable) const;
  // A parameter that can be called.
  std::optional<il::Root> callable_formal(const clang::Expr* expression) const;
  std::vector<il::Closure> closures_of(llvm::ArrayRef<const clang::Expr*> arguments, unsigned first_formal);
  // What was passed to this function is called.
  bool lower_invocation(const clang::CallExpr& call);
  // Through a function pointer that is kept in a field or variable.
  bool lower_stored_call(const clang::CallExpr& call);
  il::CallKind kind_of_call(const clang::CallExpr& call, const clang::CXXMethodDecl& callee) const;
  // std::thread(f, arguments...); of a deferred one, the call.
  void start(llvm::ArrayRef<const clang::Expr*> arguments, il::CallKind kind = il::CallKind::Spawn);
  const clang::LambdaExpr* lambda_of(const clang::Expr* callable) const;
  // Functions and closures among the arguments, given to the callee.
  void hand_over(llvm::ArrayRef<const clang::Expr*> arguments, const clang::FunctionDecl* to);
  void hand_over(const clang::Expr* callable, const clang::FunctionDecl* to);

  // Locks (locks.cpp).
  struct Guarded {
    std::vector<il::RequiredLock> locks;
    bool temporary = false;
  };
  bool lower_lock_call(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  bool lower_lock_attributes(const clang::CallExpr& call, const clang::FunctionDecl& callee);
  bool lower_guard(const clang::CXXConstructExpr& made, const void* guard);
  bool lower_plain_guard(const clang::CXXConstructExpr& made, const void* guard);
  void end_guard(const void* guard);
  void lock_by_guard(const Guarded& guard, LockCall wanted);
  void lock(il::LockAction action, const il::Path& path, il::LockMode mode, bool attempt = false);
  bool apply(LockCall call, const il::Path& lock);
  std::optional<il::Path> lock_argument(const clang::Expr* argument);
  std::optional<il::Path> guarded_lock(const clang::Expr* argument);
  std::optional<il::Path> tested_lock(const clang::Expr* condition);

  // Guards as values (guard_values.cpp).
  void lower_guard_formals();
  void merge_guards(const clang::CFGBlock& block);
  const void* guard_of(const clang::Expr* expression);
  Guarded* known_guard(const clang::Expr* expression);
  void acquire(Guarded& guard, il::RequiredLock taken);
  void take_guard(const clang::Expr* value, Guarded& to);
  void take_arguments(llvm::ArrayRef<const clang::Expr*> arguments, clang::QualType made, Guarded& to);
  void take_found(const FoundLocks& found, llvm::ArrayRef<const clang::Expr*> arguments,
                  const std::vector<il::Value>& actuals, Guarded& to);
  void lower_returned_guard(const clang::CallExpr& call);
  void lower_guard_holder(const clang::CXXConstructExpr& made, il::Value object, const void* guard);
  void end_temporaries(); // guards without a name that an exception ends
  void bind_guard(const clang::VarDecl& variable);
  void bind_guard(const clang::CXXCtorInitializer& part);
  void lower_captured_guards(const clang::LambdaExpr& lambda);
  void swap_guards(const clang::Expr* a, const clang::Expr* b);
  bool lower_guard_change(const clang::CallExpr& call, const clang::FunctionDecl& callee);

  // What a thread is told about itself (roles.cpp).
  void lower_roles(const clang::CFGBlock& block, std::vector<unsigned>& successors);
  void find_roles(const clang::CFGBlock& block, const clang::Expr& condition,
                  std::vector<std::optional<il::Path>>& roles) const; // by branch
  bool sets(const clang::Stmt* code, const il::Path& path);
  void find_first_use(const clang::Expr& condition, std::vector<std::optional<il::Path>>& roles);
  bool is_told(const clang::Expr* value, unsigned depth = 0) const;
  std::optional<il::Path> role_of(const clang::Expr* value, const clang::Expr* compared,
                                  const char* relation = " == ") const;

  void emit(clang::SourceLocation at, decltype(il::Statement::what) what);
  void use(const clang::Expr* expression);
  void write(const clang::Expr* target, il::Value value);
  bool cannot_race(const clang::Expr* expression);
  bool is_known_to_others(const clang::Expr* expression) const;

  const clang::FunctionDecl& function_;
  clang::ASTContext& context_;
  IgnoredLines& ignored_;
  Discoveries& discoveries_;
  Scope scope_;
  Paths paths_;
  il::Method method_;
  const Tries tries_;
  struct Handlers {
    const clang::CFGBlock* choice = nullptr; // the block that chooses one
    unsigned number = 0;                     // of that block
    std::vector<unsigned> ways;              // blocks that lead there
    bool alone = false;                      // threads are started or waited for in the body
  };
  std::map<const clang::Stmt*, Handlers> handlers_; // by try
  std::optional<unsigned> nowhere_;
  std::vector<il::Statement>* out_ = nullptr;
  unsigned here_ = 0;                      // the block that they will be in
  bool in_try_ = false;                    // a part of the present block was seen to be in one
  clang::SourceLocation at_;               // of the element that is being lowered
  const clang::CFGBlock* block_ = nullptr; // that is being lowered
  llvm::DenseSet<const clang::Stmt*> elements_;
  llvm::DenseSet<const clang::Expr*> owned_; // made by a declaration, an initialiser or new
  llvm::DenseSet<const clang::Expr*> temporaries_;
  llvm::DenseMap<const void*, Guarded> guards_; // variables, members and temporaries
  llvm::DenseMap<const clang::CFGBlock*, llvm::DenseMap<const void*, Guarded>> guards_after_; // a block
  llvm::DenseMap<const clang::VarDecl*, const clang::LambdaExpr*> closures_;
  llvm::DenseSet<const clang::ValueDecl*> reassigned_; // variables that are given another value, somewhere
  llvm::DenseMap<const clang::CFGBlock*, std::vector<il::Path>> releases_; // at the start of a block
  std::unique_ptr<clang::CFGPostDomTree> ends_;                            // made when it is needed
  // Locks that the condition of a block tried to take, and whether success is the true branch.
  struct Tried {
    std::vector<il::RequiredLock> locks;
    bool negated = false;
    bool taken_before = false;                  // owns_lock(): on the other branch it is not held after all
    std::optional<bool> if_true = std::nullopt; // success is the true branch, whatever the condition is
  };
  std::optional<Tried> tried_;
  // The atomic that the condition of a block looks at; it is set on the true branch, or on the false one.
  struct Seen {
    il::Path atomic;
    bool set = true;
  };
  std::optional<Seen> seen_;
  llvm::DenseSet<const clang::Stmt*> not_run_; // operands of sizeof, noexcept and the like
  // What has been waited for on one of the two branches.
  struct Awaited {
    il::Call wait;
    bool if_true;
  };
  std::optional<Awaited> awaited_;
  unsigned loops_ = 0;                                                     // around what find_owners() is at
  bool has_async_ = false;                                                 // somewhere in the function
  llvm::DenseMap<const clang::VarDecl*, const clang::CallExpr*> deferred_; // futures of std::launch::deferred
  llvm::DenseSet<const clang::Stmt*> discarded_; // expressions whose value nobody uses
  llvm::DenseSet<const clang::ValueDecl*>
      known_to_others_; // variables that closures refer to, or whose address is taken
};

// std::async(std::launch::deferred, ...): no thread.
bool is_deferred(const clang::CallExpr& call, const clang::ASTContext& context);

// What a call of the closure runs; of [](auto x) { ... } one for each type that it was called with.
std::vector<const clang::FunctionDecl*> bodies_of(const clang::LambdaExpr& lambda);

// The locks of REQUIRES(...) in the words of the function itself.
std::vector<il::RequiredLock> required_locks(const clang::FunctionDecl& function);

} // namespace footrace::scan::frontend
