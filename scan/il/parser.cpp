// Recursive descent over the grammar of text.h. The first error ends the parse.
#include "scan/il/lexer.h"
#include "scan/il/text.h"

#include <algorithm>
#include <map>

namespace footrace::scan::il {

namespace {

class Parser {
public:
  Parser(std::string_view text, Name file) : lexer_(text), file_(file) { advance(); }

  ParseResult run() {
    ParseResult result;
    while (!failed() && token_.kind != Token::Kind::End) {
      if (accept("class"))
        result.program.classes.push_back(parse_class());
      else if (accept("slot"))
        result.program.slots.push_back(parse_slot());
      else if (accept("method"))
        result.program.methods.push_back(parse_method());
      else
        fail("expected 'class', 'slot' or 'method'");
    }
    result.error = error_;
    return result;
  }

private:
  // Tokens.
  void advance() { token_ = lexer_.next(); }
  bool failed() const { return !error_.empty(); }
  void fail(const std::string& what) {
    if (failed()) return;
    error_ =
        file_.text() + ":" + std::to_string(token_.line) + ":" + std::to_string(token_.column) + ": " + what;
    token_ = {};
  }
  bool at(std::string_view text) const {
    return token_.text == text && (token_.kind == Token::Kind::Word || token_.kind == Token::Kind::Symbol);
  }
  bool accept(std::string_view text) {
    if (!at(text)) return false;
    advance();
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text)) fail("expected '" + std::string(text) + "'");
  }
  bool at_name() const { return token_.kind == Token::Kind::Word || token_.kind == Token::Kind::Quoted; }
  Name name() {
    if (!at_name()) fail("expected a name");
    Name result(token_.text);
    advance();
    return result;
  }
  unsigned number() {
    if (token_.kind != Token::Kind::Number || token_.text.size() > 9) {
      fail("expected a number");
      return 0;
    }
    unsigned result = unsigned(std::stoul(token_.text));
    advance();
    return result;
  }
  Location here() const { return {file_, token_.line, token_.column}; }
  // [file]:line:column
  Location location() {
    Location at;
    if (at_name()) at.file = name();
    expect(":");
    at.line = number();
    expect(":");
    at.column = number();
    return at;
  }

  // Paths and values.
  Root root() {
    if (accept("@")) return global(name());
    Name variable = name();
    if (variable.empty()) return local(variable); // a parameter without a name is never meant
    for (unsigned i = 0; i < method_.formals.size(); ++i)
      if (method_.formals[i].name == variable) return formal(i, variable);
    return local(variable);
  }
  Path path() { return steps_after(root()); }
  Path steps_after(Path result) {
    while (!failed()) {
      if (accept("^"))
        result.steps.push_back(deref());
      else if (accept("->"))
        result = result.arrow(name());
      else if (accept("."))
        result.steps.push_back(field(name()));
      else if (accept("[]"))
        result.steps.push_back(content());
      else if (accept("[*]"))
        result.steps.push_back(element());
      else
        break;
    }
    return result;
  }
  Value value() {
    if (accept("?")) return nothing();
    if (accept("new")) return fresh();
    if (accept("&")) return address_of(path());
    return value_of(path());
  }
  LockMode mode() { return accept("shared") ? LockMode::Shared : LockMode::Exclusive; }
  RequiredLock required() {
    LockMode how = mode();
    return {path(), how};
  }

  // Declarations.
  Class parse_class() {
    Class result;
    result.name = name();
    method_ = {};
    method_.formals = {{"this", result.name}};
    while (!failed() && !accept(";")) {
      if (accept("base"))
        result.bases.push_back(name());
      else if (accept("locks"))
        result.has_lock = true;
      else if (accept("safe"))
        result.thread_safe = true;
      else if (accept("ignored"))
        result.ignored = name();
      else if (accept("optional"))
        result.optional_locks.push_back(name());
      else if (accept("guard"))
        result.guards.push_back(guard());
      else
        fail("unknown attribute of a class");
    }
    return result;
  }
  Guard guard() {
    bool pointee = accept("pointee");
    Name guarded = name();
    expect("by");
    return {guarded, required(), pointee};
  }
  Slot parse_slot() {
    Slot slot;
    slot.name = name();
    expect("is");
    slot.target = name();
    if (accept("with")) slot.formal = number();
    expect(";");
    return slot;
  }
  void formals() {
    expect("(");
    while (!failed() && !accept(")")) {
      Formal formal{name(), {}};
      if (accept(":")) formal.type = name();
      method_.formals.push_back(formal);
      if (!at(")")) expect(",");
    }
    method_.has_this = !method_.formals.empty() && method_.formals[0].name == Name("this");
  }
  void attribute() {
    if (accept("in"))
      method_.of_class = name();
    else if (accept("shown"))
      method_.shown = name();
    else if (accept("public"))
      method_.visibility = Visibility::Public;
    else if (accept("protected"))
      method_.visibility = Visibility::Protected;
    else if (accept("private"))
      method_.visibility = Visibility::Private;
    else if (accept("constructor"))
      method_.constructor = true;
    else if (accept("destructor"))
      method_.destructor = true;
    else if (accept("internal"))
      method_.internal = true;
    else if (accept("thread"))
      method_.thread_entry = true;
    else if (accept("startup"))
      method_.startup = true;
    else if (accept("requires"))
      method_.required.push_back(required());
    else if (accept("ignored"))
      method_.ignored = name();
    else if (accept("at"))
      method_.at = location();
    else
      fail("unknown attribute of a method");
  }
  Method parse_method() {
    method_ = {};
    labels_.clear();
    method_.at = here();
    method_.name = name();
    formals();
    while (!failed() && !at("{")) attribute();
    method_.blocks.resize(1);
    current_ = 0;
    numbered_ = false;
    expect("{");
    if (at("label")) {
      advance();
      numbered_ = token_.kind == Token::Kind::Number;
      label();
    }
    statements();
    for (const auto& [label, block] : labels_)
      if (!block.defined) fail("label '" + label.text() + "' is not defined");
    return std::move(method_);
  }

  // Bodies. `current_` is the block that statements go to.
  unsigned new_block() {
    method_.blocks.emplace_back();
    return unsigned(method_.blocks.size() - 1);
  }
  void edge(unsigned from, unsigned to) { method_.blocks[from].successors.push_back(to); }
  void statements() {
    while (!failed() && !accept("}")) statement();
  }
  void braces() {
    expect("{");
    statements();
  }
  struct Label {
    unsigned block;
    bool defined;
  };
  Label& label_named() {
    Name label(token_.text);
    auto entry = labels_.find(label);
    if (entry == labels_.end()) entry = labels_.emplace(label, Label{labelled_block(), false}).first;
    advance();
    return entry->second;
  }
  // A printed program numbers its blocks; a person names them.
  unsigned labelled_block() {
    if (at_name() && !numbered_) return new_block();
    if (token_.kind != Token::Kind::Number || !numbered_ || token_.text.size() > 6) {
      fail("expected a label");
      return 0;
    }
    unsigned block = unsigned(std::stoul(token_.text));
    if (block >= method_.blocks.size()) method_.blocks.resize(block + 1);
    return block;
  }
  // What follows a jump is reached only through a label.
  void close_block() {
    if (!numbered_) current_ = new_block();
  }
  void structured() {
    if (numbered_) fail("numbered blocks have no 'if' or 'while'");
    expect("*");
  }
  void statement() {
    if (accept("if")) return branch();
    if (accept("while")) return loop();
    if (accept("goto")) return jump();
    if (accept("label")) return label();
    Statement result{here(), Use{}};
    simple(result);
    if (accept("at")) result.at = location();
    expect(";");
    bool leaves = std::holds_alternative<Return>(result.what);
    method_.blocks[current_].statements.push_back(std::move(result));
    if (leaves) close_block();
  }
  void branch() {
    structured();
    unsigned before = current_, then = new_block();
    edge(before, then);
    current_ = then;
    braces();
    unsigned after_then = current_, otherwise = new_block();
    edge(before, otherwise);
    current_ = otherwise;
    if (accept("else")) braces();
    unsigned join = new_block();
    edge(after_then, join);
    edge(current_, join);
    current_ = join;
  }
  void loop() {
    structured();
    unsigned head = new_block();
    edge(current_, head);
    unsigned body = new_block();
    edge(head, body);
    current_ = body;
    braces();
    edge(current_, head);
    unsigned after = new_block();
    edge(head, after);
    current_ = after;
  }
  void jump() {
    unsigned from = current_;
    while (!failed() && !accept(";")) {
      unsigned target = label_named().block;
      edge(from, target);
      if (!at(";")) expect(",");
    }
    close_block();
  }
  void label() {
    Label& target = label_named();
    if (target.defined) fail("a label is defined twice");
    target.defined = true;
    expect(":");
    if (!numbered_) edge(current_, target.block);
    current_ = target.block;
  }
  void simple(Statement& result) {
    if (accept("use")) {
      result.what = Use{path()};
    } else if (accept("lock")) {
      result.what = lock_op(LockAction::Acquire);
    } else if (accept("unlock")) {
      result.what = lock_op(LockAction::Release);
    } else if (accept("assume")) {
      result.what = lock_op(LockAction::Assume);
    } else if (at_call()) {
      result.what = call({});
    } else if (accept("return")) {
      result.what = Return{at(";") ? nothing() : value()};
    } else {
      Path target = path();
      expect(":=");
      if (at_call())
        result.what = call(target.root);
      else
        result.what = Assign{target, value()};
    }
  }
  bool at_call() const {
    return std::ranges::any_of(call_words, [&](std::string_view word) { return at(word); });
  }
  LockOp lock_op(LockAction action) {
    LockOp op;
    op.action = action;
    op.mode = mode();
    op.attempt = accept("try");
    op.lock = path();
    return op;
  }
  Call call(std::optional<Root> result) {
    Call made;
    made.result = result;
    for (std::size_t kind = 0; kind < std::size(call_words); ++kind)
      if (at(call_words[kind])) made.kind = CallKind(kind);
    advance();
    made.callee = name();
    made.actuals = actuals();
    if (accept("to")) made.to = name();
    made.anew = accept("anew");
    while (!failed() && accept("with")) made.closures.push_back(closure());
    return made;
  }
  std::vector<Value> actuals() {
    std::vector<Value> values;
    expect("(");
    while (!failed() && !accept(")")) {
      values.push_back(value());
      if (!at(")")) expect(",");
    }
    return values;
  }
  Closure closure() {
    Closure made;
    made.formal = number();
    expect("is");
    made.function = name();
    made.captured = actuals();
    return made;
  }

  Lexer lexer_;
  Name file_;
  Token token_;
  std::string error_;
  Method method_;
  std::map<Name, Label> labels_;
  unsigned current_ = 0;
  bool numbered_ = false; // the body starts with "label 0:"
};

} // namespace

ParseResult parse(std::string_view text, Name file) { return Parser(text, file).run(); }

} // namespace footrace::scan::il
