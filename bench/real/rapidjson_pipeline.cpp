// Threads that read, check, change and write JSON with RapidJSON. A producer writes requests made from the package's sample
// files; workers take them from a queue, validate them by a schema that all of them share, look things up in the sample
// documents (shared as well), and hand a summary back. Prints a digest of the summaries, in order.
#include <rapidjson/document.h>
#include <rapidjson/pointer.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace rapidjson;

namespace {

constexpr const char* kSchema = R"({
  "type": "object",
  "required": ["id", "sample", "items"],
  "properties": {
    "id": {"type": "integer", "minimum": 0},
    "sample": {"type": "integer", "minimum": 0},
    "name": {"type": "string", "minLength": 9},
    "items": {
      "type": "array", "minItems": 1,
      "items": {
        "type": "object",
        "properties": {
          "x": {"type": "number"}, "y": {"type": "number", "maximum": 1e9},
          "tags": {"type": "array", "items": {"enum": ["red", "green", "blue", "a \"quoted\" one"]}, "uniqueItems": true}
        },
        "additionalProperties": false
      }
    }
  }
})";

struct Request {
  size_t id;
  std::string text;
};

class Queue {
public:
  void put(std::unique_ptr<Request> request) {
    std::unique_lock guard(lock_);
    has_room_.wait(guard, [&] { return requests_.size() < kRoom; });
    requests_.push_back(std::move(request));
    has_some_.notify_one();
  }
  void close() {
    std::lock_guard guard(lock_);
    closed_ = true;
    has_some_.notify_all();
  }
  // Null at the end.
  std::unique_ptr<Request> take() {
    std::unique_lock guard(lock_);
    has_some_.wait(guard, [&] { return closed_ || !requests_.empty(); });
    if (requests_.empty()) return nullptr;
    std::unique_ptr<Request> request = std::move(requests_.front());
    requests_.pop_front();
    has_room_.notify_one();
    return request;
  }

private:
  static constexpr size_t kRoom = 32;
  std::mutex lock_;
  std::condition_variable has_room_, has_some_;
  std::deque<std::unique_ptr<Request>> requests_;
  bool closed_ = false;
};

struct Shared {
  std::vector<std::unique_ptr<Document>> samples;
  std::unique_ptr<SchemaDocument> schema;
  Queue queue;
  std::vector<std::string> summaries; // by id: no two threads have the same
};

std::string request_text(size_t id, size_t samples) {
  StringBuffer buffer;
  Writer<StringBuffer> writer(buffer);
  writer.StartObject();
  writer.Key("id"), writer.Uint64(id);
  writer.Key("sample"), writer.Uint64(id % samples);
  writer.Key("name"), writer.String(("request-" + std::to_string(id)).c_str());
  writer.Key("items"), writer.StartArray();
  for (size_t i = 0; i < 8 + id % 8; ++i) {
    writer.StartObject();
    writer.Key("x"), writer.Double(double(id * 31 + i) / 7);
    writer.Key("y"), writer.Double(1.0 / double(i + 1));
    writer.Key("tags"), writer.StartArray();
    if (i % 2) writer.String("red");
    if (i % 3) writer.String("a \"quoted\" one");
    if (i % 5) writer.String(id % 17 ? "blue" : "purple");
    writer.EndArray();
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  return buffer.GetString();
}

// How many values a document has and how long its strings are together.
void count(const Value& value, uint64_t& values, uint64_t& letters) {
  ++values;
  if (value.IsString()) letters += value.GetStringLength();
  if (value.IsArray())
    for (const Value& element : value.GetArray()) count(element, values, letters);
  if (value.IsObject())
    for (const auto& member : value.GetObject()) count(member.value, values, letters);
}

std::string answer(const Shared& shared, const std::string& text) {
  Document request;
  if (request.Parse(text.c_str()).HasParseError()) return "not JSON";
  SchemaValidator validator(*shared.schema);
  bool valid = request.Accept(validator);

  const Document& sample = *shared.samples[request["sample"].GetUint64()];
  auto& allocator = request.GetAllocator();
  Value copy(sample, allocator);
  double sum = 0;
  for (const Value& item : request["items"].GetArray()) sum += item["x"].GetDouble() * item["y"].GetDouble();
  uint64_t values = 0, letters = 0;
  count(sample, values, letters);
  request.AddMember("copy", copy, allocator);
  Pointer("/result/sum").Set(request, sum);
  Pointer("/result/values").Set(request, values);
  Pointer("/result/letters").Set(request, letters);
  Pointer("/result/valid").Set(request, valid);
  Pointer("/items/0/tags").Erase(request);

  StringBuffer buffer;
  PrettyWriter<StringBuffer> writer(buffer);
  request.Accept(writer);
  const std::string written(buffer.GetString(), buffer.GetSize());
  std::string in_place = written;
  Document again;
  again.ParseInsitu(in_place.data());
  return again == request ? written : "changed by writing and reading";
}

uint64_t hash_of(const std::string& text, uint64_t hash) {
  for (char c : text) hash = (hash ^ uint8_t(c)) * 1099511628211u;
  return hash;
}

void work(Shared& shared) {
  while (std::unique_ptr<Request> request = shared.queue.take()) {
    std::string text = answer(shared, request->text);
    shared.summaries[request->id] = std::to_string(text.size()) + ":" + std::to_string(hash_of(text, 1));
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s THREADS REQUESTS FILE...\n", argv[0]);
    return 2;
  }
  Shared shared;
  for (int i = 3; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(in), {});
    shared.samples.push_back(std::make_unique<Document>());
    if (shared.samples.back()->Parse(text.c_str()).HasParseError()) {
      std::fprintf(stderr, "%s is not JSON\n", argv[i]);
      return 1;
    }
  }
  Document schema;
  schema.Parse(kSchema);
  shared.schema = std::make_unique<SchemaDocument>(schema);
  size_t requests = std::strtoul(argv[2], nullptr, 10);
  shared.summaries.resize(requests);

  std::vector<std::thread> threads;
  for (int i = 0; i < std::atoi(argv[1]); ++i) threads.emplace_back([&] { work(shared); });
  for (size_t id = 0; id < requests; ++id)
    shared.queue.put(std::make_unique<Request>(Request{id, request_text(id, shared.samples.size())}));
  shared.queue.close();
  for (std::thread& thread : threads) thread.join();

  uint64_t digest = 1;
  for (const std::string& summary : shared.summaries) digest = hash_of(summary, digest);
  std::printf("%zu requests, last %s, digest %016llx\n", requests, shared.summaries.back().c_str(),
              (unsigned long long)digest);
}
