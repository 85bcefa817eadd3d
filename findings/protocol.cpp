#include "findings/protocol.h"

#include "findings/json_input.h"

namespace footrace::findings {
namespace {

RawSite get_site(const Fields& in) {
  return {{in.text("file"), in.small_number("line"), in.small_number("column")}, in.text("function")};
}

RawAccess get_access(const Fields& in) {
  RawAccess access;
  access.kind = get_enum<AccessKind>(in, "kind");
  access.size = in.number("size");
  access.address = in.optional_address("address");
  access.thread = in.optional_number("thread");
  if (std::optional<Fields> site = in.object("site")) {
    access.sites.push_back(get_site(*site));
    site->each("inlined", [&](const Fields& outer) { access.sites.push_back(get_site(outer)); });
    access.record = site->optional_address("record");
  }
  access.pc = in.optional_address("pc");
  access.intercepted = in.text("intercepted");
  access.stack = in.addresses("stack");
  access.stack_lost = in.flag("stack_lost");
  in.each("locks", [&](const Fields& lock) {
    access.locks.push_back({lock.address("address"), get_enum<LockMode>(lock, "mode"),
                            lock.optional_number("after"), lock.addresses("stack"), lock.address("begin"),
                            lock.number("size"), lock.addresses("allocated")});
  });
  access.locks_lost = in.flag("locks_lost");
  return access;
}

RawRace get_race(const Fields& in) {
  RawRace race;
  in.each("accesses", [&](const Fields& access) { race.accesses.push_back(get_access(access)); });
  if (race.accesses.size() != 2) in.problem("accesses", "expected two");
  if (std::optional<Fields> memory = in.object("memory"))
    race.memory = {get_enum<Region>(*memory, "region"),
                   memory->address("address"),
                   memory->address("begin"),
                   memory->number("size"),
                   memory->optional_number("thread"),
                   memory->flag("freed"),
                   memory->addresses("stack"),
                   memory->address("points_to"),
                   {}};
  if (std::optional<Fields> memory = in.object("memory"))
    if (std::optional<Fields> frame = memory->object("frame"))
      race.memory->frame = {frame->address("address"), frame->address("code"), frame->address("returns")};
  in.each("threads", [&](const Fields& thread) {
    race.threads.push_back({thread.small_number("number"), thread.text("name"), thread.number("os_id"),
                            thread.flag("finished"), thread.optional_number("parent"),
                            thread.addresses("stack"), thread.optional_number("joiner"),
                            thread.flag("joined"), thread.addresses("join")});
  });
  race.order = get_enum<Order>(in, "order");
  race.through = in.address("through");
  race.slept = in.addresses("slept");
  return race;
}

Hello get_hello(const Fields& in) {
  Hello hello;
  hello.version = in.number("version", Need::Required);
  hello.pid = in.number("pid");
  hello.program = in.text("exe");
  hello.suppressions = in.text("suppressions");
  if (std::optional<Fields> options = in.object("options"))
    options->each_text(
        [&](llvm::StringRef key, std::string value) { hello.options[key.str()] = std::move(value); });
  return hello;
}

} // namespace

Message parse_message(std::string_view line) {
  Message message;
  std::optional<llvm::json::Value> value = parse_json({line.data(), line.size()}, message.problems);
  if (!value) {
    llvm::StringRef start = llvm::StringRef(line.data(), line.size()).ltrim();
    if (start.starts_with("{\"type\":\"race\"")) message.type = Message::Type::Race;
    return message;
  }
  Fields in(*value, "", message.problems);
  std::string type = in.text("type", Need::Required);
  if (type == "hello") {
    message.type = Message::Type::Hello;
    message.hello = get_hello(in);
  } else if (type == "modules") {
    message.type = Message::Type::Modules;
    in.each("modules", [&](const Fields& module) {
      message.modules.push_back(
          {module.text("path"), module.address("base"), module.address("begin"), module.address("end")});
    });
  } else if (type == "race") {
    message.type = Message::Type::Race;
    message.race = get_race(in);
  } else if (type == "bye") {
    message.type = Message::Type::Bye;
  } else if (!type.empty()) {
    in.problem("type", "unknown value '" + type + "'");
  }
  return message;
}

} // namespace footrace::findings
