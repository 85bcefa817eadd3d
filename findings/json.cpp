#include "findings/json.h"

#include "findings/json_input.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace footrace::findings {
namespace {

using llvm::json::OStream;

// Written field by field, because json::Object would sort the keys and the order here is the one a person
// reads.
void put_text(OStream& out, llvm::StringRef key, std::string_view text) {
  if (!text.empty()) out.attribute(key, llvm::json::fixUTF8(llvm::StringRef(text.data(), text.size())));
}
void put_flag(OStream& out, llvm::StringRef key, bool flag) {
  if (flag) out.attribute(key, true);
}
void put_number(OStream& out, llvm::StringRef key, std::uint64_t number) {
  if (number != 0) out.attribute(key, number);
}
void put_thread(OStream& out, llvm::StringRef key, const std::optional<unsigned>& number) {
  if (number) out.attribute(key, *number);
}
void put_address(OStream& out, llvm::StringRef key, std::uint64_t address) {
  out.attribute(key, to_hex(address));
}

void put_place(OStream& out, const SourceLocation& location) {
  put_text(out, "file", location.file);
  put_number(out, "line", location.line);
  put_number(out, "column", location.column);
}

void put_location(OStream& out, const SourceLocation& location) {
  if (location.file.empty()) return;
  out.attributeObject("location", [&] { put_place(out, location); });
}

void put_module(OStream& out, const std::string& module, std::uint64_t offset) {
  put_text(out, "module", module);
  if (offset != 0) put_address(out, "offset", offset);
}

void put_stack(OStream& out, llvm::StringRef key, const Stack& stack) {
  out.attributeArray(key, [&] {
    for (const StackFrame& frame : stack)
      out.object([&] {
        put_text(out, "function", frame.function);
        put_text(out, "linkage_name", frame.linkage_name);
        put_place(out, frame.location);
        put_module(out, frame.module, frame.offset);
        put_flag(out, "inlined", frame.inlined);
      });
  });
}

void put_excerpt(OStream& out, const Excerpt& excerpt) {
  if (excerpt.lines.empty()) return;
  out.attributeObject("excerpt", [&] {
    out.attribute("first", excerpt.first);
    out.attributeArray("lines", [&] {
      for (const std::string& line : excerpt.lines) out.value(llvm::json::fixUTF8(line));
    });
  });
}

void put_access(OStream& out, const Access& access) {
  put_text(out, "kind", to_text(access.kind));
  out.attribute("size", access.size);
  if (access.address) put_address(out, "address", *access.address);
  put_thread(out, "thread", access.thread);
  if (access.event) put_number(out, "event", *access.event);
  put_text(out, "intercepted", access.intercepted);
  put_location(out, access.location);
  put_text(out, "expression", access.expression);
  put_text(out, "use", access.use);
  put_excerpt(out, access.excerpt);
  put_stack(out, "stack", access.stack);
  put_flag(out, "stack_lost", access.stack_lost);
  out.attributeArray("locks", [&] {
    for (const HeldLock& lock : access.locks)
      out.object([&] {
        put_address(out, "address", lock.address);
        put_text(out, "name", lock.name);
        put_text(out, "mode", to_text(lock.mode));
        put_thread(out, "after", lock.after);
        put_stack(out, "stack", lock.taken);
      });
  });
  put_flag(out, "locks_lost", access.locks_lost);
}

void put_memory(OStream& out, const Memory& memory) {
  put_text(out, "region", to_text(memory.region));
  put_address(out, "address", memory.address);
  if (memory.begin != 0) put_address(out, "begin", memory.begin);
  put_number(out, "size", memory.size);
  put_thread(out, "thread", memory.thread);
  put_flag(out, "freed", memory.freed);
  put_text(out, "name", memory.name);
  put_text(out, "type", memory.type);
  put_text(out, "member", memory.member);
  put_location(out, memory.location);
  put_module(out, memory.module, memory.offset);
  put_text(out, "vtable", memory.vtable);
  if (!memory.allocated.empty()) put_stack(out, "stack", memory.allocated);
}

void put_thread_info(OStream& out, const ThreadInfo& thread) {
  out.attribute("number", thread.number);
  put_text(out, "name", thread.name);
  put_number(out, "os_id", thread.os_id);
  put_flag(out, "finished", thread.finished);
  put_thread(out, "parent", thread.parent);
  put_stack(out, "stack", thread.created);
  put_thread(out, "joiner", thread.joiner);
  put_flag(out, "joined", thread.joined);
  if (!thread.join.empty()) put_stack(out, "join", thread.join);
}

SourceLocation get_place(const Fields& in) {
  return {in.text("file"), in.small_number("line"), in.small_number("column")};
}

SourceLocation get_location(const Fields& in) {
  std::optional<Fields> location = in.object("location");
  return location ? get_place(*location) : SourceLocation();
}

Stack get_stack(const Fields& in, llvm::StringRef key = "stack") {
  Stack stack;
  in.each(key, [&](const Fields& frame) {
    stack.push_back({frame.text("function"), frame.text("linkage_name"), get_place(frame),
                     frame.text("module"), frame.address("offset"), frame.flag("inlined")});
  });
  return stack;
}

Access get_access(const Fields& in) {
  Access access;
  access.kind = get_enum<AccessKind>(in, "kind", Need::Required);
  access.size = in.number("size");
  access.address = in.optional_address("address");
  access.thread = in.optional_number("thread");
  if (const std::uint64_t event = in.number("event")) access.event = event;
  access.intercepted = in.text("intercepted");
  access.location = get_location(in);
  access.expression = in.text("expression");
  access.use = in.text("use");
  if (std::optional<Fields> excerpt = in.object("excerpt"))
    access.excerpt = {excerpt->small_number("first"), excerpt->texts("lines")};
  access.stack = get_stack(in);
  access.stack_lost = in.flag("stack_lost");
  in.each("locks", [&](const Fields& lock) {
    access.locks.push_back({lock.address("address"), lock.text("name"),
                            get_enum<LockMode>(lock, "mode", Need::Required), get_stack(lock),
                            lock.optional_number("after")});
  });
  access.locks_lost = in.flag("locks_lost");
  return access;
}

Memory get_memory(const Fields& in) {
  Memory memory;
  memory.region = get_enum<Region>(in, "region", Need::Required);
  memory.address = in.address("address");
  memory.begin = in.address("begin");
  memory.size = in.number("size");
  memory.thread = in.optional_number("thread");
  memory.freed = in.flag("freed");
  memory.name = in.text("name");
  memory.type = in.text("type");
  memory.member = in.text("member");
  memory.location = get_location(in);
  memory.module = in.text("module");
  memory.offset = in.address("offset");
  memory.vtable = in.text("vtable");
  memory.allocated = get_stack(in);
  return memory;
}

Finding get_finding(const Fields& in) {
  Finding finding;
  finding.schema = in.small_number("schema", Need::Required);
  if (finding.schema > schema_version)
    in.problem("schema", "version " + std::to_string(finding.schema) + " is newer than version " +
                             std::to_string(schema_version) + ", the newest this footrace reads");
  finding.fingerprint = in.text("fingerprint", Need::Required);
  finding.rule = in.text("rule", Need::Required);
  finding.part = in.text("part", Need::Required);
  finding.level = get_enum<Level>(in, "level", Need::Required);
  finding.confidence = get_enum<Confidence>(in, "confidence", Need::Required);
  finding.summary = in.text("summary");
  finding.program = in.text("program");
  finding.pid = in.number("pid");
  in.each("accesses", [&](const Fields& access) { finding.accesses.push_back(get_access(access)); });
  if (std::optional<Fields> memory = in.object("memory")) finding.memory = get_memory(*memory);
  in.each("threads", [&](const Fields& thread) {
    finding.threads.push_back(
        {thread.small_number("number", Need::Required), thread.text("name"), thread.number("os_id"),
         thread.flag("finished"), thread.optional_number("parent"), get_stack(thread),
         thread.optional_number("joiner"), thread.flag("joined"), get_stack(thread, "join")});
  });
  finding.order = get_enum<Order>(in, "order");
  finding.through = in.text("through");
  finding.slept = get_stack(in, "slept");
  if (finding.schema == 1) { // no longer in use; its fingerprints were made of lines
    finding.explanation = in.text("evidence");
    finding.schema = schema_version;
    seal(finding);
    return finding;
  }
  finding.sources = in.texts("sources");
  in.each("evidence", [&](const Fields& evidence) {
    finding.evidence.push_back(
        {get_enum<EvidenceKind>(evidence, "kind", Need::Required), evidence.number("count", Need::Required)});
  });
  finding.explanation = in.text("explanation");
  return finding;
}

} // namespace

std::string write_json(const Finding& finding) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream out(stream);
  out.object([&] {
    out.attribute("schema", finding.schema);
    put_text(out, "fingerprint", finding.fingerprint);
    put_text(out, "rule", finding.rule);
    put_text(out, "part", finding.part);
    put_text(out, "level", to_text(finding.level));
    put_text(out, "confidence", to_text(finding.confidence));
    put_text(out, "summary", finding.summary);
    put_text(out, "program", finding.program);
    put_number(out, "pid", finding.pid);
    out.attributeArray("accesses", [&] {
      for (const Access& access : finding.accesses) out.object([&] { put_access(out, access); });
    });
    if (finding.memory) out.attributeObject("memory", [&] { put_memory(out, *finding.memory); });
    out.attributeArray("threads", [&] {
      for (const ThreadInfo& thread : finding.threads) out.object([&] { put_thread_info(out, thread); });
    });
    if (finding.order != Order::Unknown) put_text(out, "order", to_text(finding.order));
    put_text(out, "through", finding.through);
    if (!finding.slept.empty()) put_stack(out, "slept", finding.slept);
    if (!finding.sources.empty())
      out.attributeArray("sources", [&] {
        for (const std::string& file : finding.sources) out.value(llvm::json::fixUTF8(file));
      });
    out.attributeArray("evidence", [&] {
      for (const Evidence& evidence : finding.evidence)
        out.object([&] {
          put_text(out, "kind", to_text(evidence.kind));
          out.attribute("count", evidence.count);
        });
    });
    put_text(out, "explanation", finding.explanation);
  });
  text += '\n';
  return text;
}

std::vector<std::string> ReadResult::messages(std::string_view file) const {
  std::vector<std::string> result;
  for (const ReadProblem& problem : problems) {
    std::string text(file);
    if (problem.line != 0) text += ':' + std::to_string(problem.line);
    result.push_back(text + ": " + problem.reason);
  }
  return result;
}

namespace {

constexpr std::size_t longest_line = 16 << 20; // of a finding with all of its stacks, some 50 kB
constexpr std::size_t most_problems = 1000;    // of a file in which there is nothing else

ReadResult visit_lines(std::string_view text, const std::function<void(Finding)>& take) {
  ReadResult result;
  std::size_t number = 0;
  bool has_finding = false;
  while (!text.empty()) {
    ++number;
    std::size_t end = text.find('\n');
    bool complete = end != std::string_view::npos;
    llvm::StringRef line(text.data(), complete ? end : text.size());
    text.remove_prefix(complete ? end + 1 : text.size());
    if (line.trim().empty()) continue;
    if (line.size() > longest_line) {
      result.problems.push_back({number, "a line of " + std::to_string(line.size() >> 20) +
                                             " MB is no finding; is this a file of findings?"});
      continue;
    }
    Problems problems;
    std::optional<llvm::json::Value> value = parse_json(line, problems);
    if (value) {
      Finding finding = get_finding(Fields(*value, "", problems));
      if (problems.empty()) {
        has_finding = true;
        take(std::move(finding));
      }
    }
    if (problems.empty()) continue;
    std::string reason = complete || value ? "" : "truncated line (was the writer interrupted?): ";
    result.problems.push_back({number, reason + problems.front()});
    if (!has_finding && result.problems.size() == most_problems) {
      result.problems = {{0, "the first " + std::to_string(most_problems) +
                                 " lines are no findings; is this a file of findings?"}};
      break;
    }
  }
  return result;
}

} // namespace

ReadResult parse_findings(std::string_view text) {
  std::vector<Finding> findings;
  ReadResult result = visit_lines(text, [&](Finding finding) { findings.push_back(std::move(finding)); });
  result.findings = std::move(findings);
  return result;
}

ReadResult visit_findings(const std::string& file, const std::function<void(Finding)>& take) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFileOrSTDIN(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) return {{}, {{0, "cannot read: " + buffer.getError().message()}}, false};
  llvm::StringRef text = (*buffer)->getBuffer();
  return visit_lines({text.data(), text.size()}, take);
}

ReadResult read_findings(const std::string& file) {
  std::vector<Finding> findings;
  ReadResult result = visit_findings(file, [&](Finding finding) { findings.push_back(std::move(finding)); });
  result.findings = std::move(findings);
  return result;
}

} // namespace footrace::findings
