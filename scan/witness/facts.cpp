#include "scan/witness/facts.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace footrace::scan::witness {
namespace {

namespace json = llvm::json;

std::string one_line(const json::Object& object) {
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(json::Object(object));
  return text;
}

json::Object to_json(const Expression& expression) {
  if (!expression.missing.empty()) return json::Object{{"missing", json::fixUTF8(expression.missing)}};
  return json::Object{{"text", json::fixUTF8(expression.text)}};
}

Expression expression_of(const json::Object* object) {
  if (!object) return {"", "the unit does not say how it is made"};
  return {object->getString("text").value_or("").str(), object->getString("missing").value_or("").str()};
}

json::Object to_json(const ObjectFacts& object) {
  return json::Object{{"class", json::fixUTF8(object.of_class)}, {"made", to_json(object.made)}};
}

json::Object to_json(const CallFacts& call) {
  json::Array parameters;
  for (const Parameter& parameter : call.parameters)
    parameters.push_back(
        json::Object{{"passing", int(parameter.passing)}, {"made", to_json(parameter.made)}});
  return json::Object{{"method", json::fixUTF8(call.method)},
                      {"callee", json::fixUTF8(call.callee)},
                      {"this", call.has_this},
                      {"parameters", std::move(parameters)},
                      {"missing", json::fixUTF8(call.missing)}};
}

bool read_parameters(const json::Object& object, CallFacts& call) {
  const json::Array* parameters = object.getArray("parameters");
  if (!parameters) return false;
  for (const json::Value& value : *parameters) {
    const json::Object* parameter = value.getAsObject();
    if (!parameter) return false;
    const auto passing = parameter->getInteger("passing").value_or(-1);
    if (passing < 0 || passing > int(Passing::Reference)) return false;
    call.parameters.push_back({Passing(passing), expression_of(parameter->getObject("made"))});
  }
  return true;
}

} // namespace

std::vector<std::string> write_facts(const Facts& facts) {
  std::vector<std::string> lines;
  for (const ObjectFacts& object : facts.objects) lines.push_back(one_line(to_json(object)));
  for (const CallFacts& call : facts.calls) lines.push_back(one_line(to_json(call)));
  return lines;
}

bool read_fact(std::string_view line, Facts& facts) {
  llvm::Expected<json::Value> parsed = json::parse(llvm::StringRef(line));
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return false;
  }
  const json::Object* object = parsed->getAsObject();
  if (!object) return false;
  if (auto of_class = object->getString("class")) {
    facts.objects.push_back({of_class->str(), expression_of(object->getObject("made"))});
    return true;
  }
  auto method = object->getString("method");
  auto callee = object->getString("callee");
  if (!method || !callee) return false;
  CallFacts call = {method->str(), callee->str(), object->getBoolean("this").value_or(false), {}, ""};
  call.missing = object->getString("missing").value_or("").str();
  if (!read_parameters(*object, call)) return false;
  facts.calls.push_back(std::move(call));
  return true;
}

} // namespace footrace::scan::witness
