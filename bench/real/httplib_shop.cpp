// An HTTP server with a pool of threads and its clients, both of cpp-httplib, over a Unix socket. Requests go to handlers by
// regular expressions, with parameters, forms, JSON bodies, multipart uploads, ranges and chunked answers; the goods are in a
// table under a lock of readers and writers. Prints what the clients got, added up.
#include "httplib.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

using namespace httplib;

namespace {

struct Shop {
  std::shared_mutex lock;
  std::map<std::string, std::string> goods;
  std::atomic<uint64_t> requests{0};
  std::mutex log_lock;
  std::map<std::string, uint64_t> log; // requests by method and status
};

std::string text_of(size_t size, uint64_t seed) {
  std::string text;
  for (; text.size() < size; seed = seed * 6364136223846793005u + 1442695040888963407u)
    text += std::to_string(seed >> 40) + (seed >> 63 ? "\n" : ", ");
  text.resize(size);
  return text;
}

void add_handlers(Server& server, Shop& shop) {
  server.Put(R"(/goods/([a-z]+)/(\d+))", [&](const Request& request, Response& response) {
    std::unique_lock guard(shop.lock);
    shop.goods[request.matches[1].str() + request.matches[2].str()] = request.body;
    response.status = 201;
  });
  server.Get(R"(/goods/([a-z]+)/(\d+))", [&](const Request& request, Response& response) {
    std::shared_lock guard(shop.lock);
    auto found = shop.goods.find(request.matches[1].str() + request.matches[2].str());
    if (found == shop.goods.end())
      response.status = 404;
    else
      response.set_content(found->second, "text/plain");
  });
  server.Delete(R"(/goods/([a-z]+)/(\d+))", [&](const Request& request, Response& response) {
    std::unique_lock guard(shop.lock);
    response.status = shop.goods.erase(request.matches[1].str() + request.matches[2].str()) ? 204 : 404;
  });
  server.Get("/search", [&](const Request& request, Response& response) {
    std::string from = request.get_param_value("from"), to = request.get_param_value("to"), out;
    std::shared_lock guard(shop.lock);
    for (auto i = shop.goods.lower_bound(from); i != shop.goods.end() && i->first < to; ++i)
      out += i->first + ": " + std::to_string(i->second.size()) + "\n";
    response.set_header("X-From", from);
    response.set_content(out, "text/plain");
  });
  server.Post("/order", [&](const Request& request, Response& response) {
    std::string out = "{";
    for (const auto& [name, value] : request.params) out += "\"" + name + "\": \"" + value + "\", ";
    response.set_content(out + "}", "application/json");
  });
  server.Post("/upload", [&](const Request& request, Response& response) {
    size_t size = 0;
    for (const auto& [name, file] : request.files)
      size += name.size() + file.filename.size() + file.content.size();
    response.set_content(std::to_string(size), "text/plain");
  });
  server.Get("/stream", [&](const Request&, Response& response) {
    response.set_chunked_content_provider("text/plain", [](size_t offset, DataSink& sink) {
      std::string piece = text_of(512, offset);
      sink.write(piece.data(), piece.size());
      if (offset >= 4096) sink.done();
      return true;
    });
  });
  server.set_logger([&](const Request& request, const Response& response) {
    ++shop.requests;
    std::lock_guard guard(shop.log_lock);
    ++shop.log[request.method + " " + std::to_string(response.status)];
  });
}

// A client's own goods: what others do does not change what it gets.
uint64_t be_client(const std::string& socket, int number, int rounds) {
  Client client(socket);
  client.set_address_family(AF_UNIX);
  client.set_keep_alive(true);
  client.set_read_timeout(300);
  const std::string name = "client" + std::string(1, char('a' + number));
  uint64_t sum = 0;
  auto add = [&](const Result& result) {
    if (!result) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), to_string(result.error()).c_str());
      std::exit(1);
    }
    sum = sum * 31 + uint64_t(result->status);
    sum = sum * 31 + result->body.size();
    if (result->status != 206) // the parts of an answer with ranges are bounded by random text
      for (char c : result->body) sum = sum * 31 + uint8_t(c);
    for (const auto& [header, value] : result->headers) sum += header.size() * value.size();
  };
  for (int round = 0; round < rounds; ++round) {
    std::string path = "/goods/" + name + "/" + std::to_string(round);
    add(client.Put(path.c_str(), text_of(200 + size_t(round) % 1000, uint64_t(round)), "text/plain"));
    add(client.Get(path.c_str(), {{"Accept", "text/plain"}, {"X-Round", std::to_string(round)}}));
    add(client.Get(path.c_str(), {make_range_header({{10, 50}, {100, 149}})}));
    add(client.Get("/search", Params{{"from", name}, {"to", name + ":"}}, Headers{}));
    add(client.Post("/order",
                    Params{{"name", name}, {"note", text_of(100, 7)}, {"count", std::to_string(round)}}));
    add(client.Post("/upload", MultipartFormDataItems{{"a", text_of(3000, 1), "a.txt", "text/plain"},
                                                      {"b", "<b>" + name + "</b>", "b.html", "text/html"}}));
    if (round % 4 == 0) add(client.Get("/stream"));
    if (round % 8 >= 4) add(client.Delete(("/goods/" + name + "/" + std::to_string(round - 4)).c_str()));
    if (round % 16 == 0) add(client.Get("/nowhere"));
  }
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s SOCKET THREADS ROUNDS\n", argv[0]);
    return 2;
  }
  const std::string socket = argv[1];
  const int threads = std::atoi(argv[2]), rounds = std::atoi(argv[3]);
  Shop shop;
  Server server;
  server.set_address_family(AF_UNIX);
  server.set_keep_alive_max_count(1000000);
  server.set_keep_alive_timeout(300);
  server.new_task_queue = [&] { return new ThreadPool(size_t(threads)); };
  add_handlers(server, shop);
  std::thread listener([&] { server.listen(socket, 80); });
  while (!server.is_running()) std::this_thread::yield();

  std::vector<uint64_t> sums(size_t(threads), 0);
  std::vector<std::thread> clients;
  for (int i = 0; i < threads; ++i)
    clients.emplace_back([&, i] { sums[size_t(i)] = be_client(socket, i, rounds); });
  for (std::thread& client : clients) client.join();
  server.stop();
  listener.join();

  for (const auto& [kind, count] : shop.log)
    std::printf("%s: %llu\n", kind.c_str(), (unsigned long long)count);
  std::printf("%llu requests, %zu goods left, sums", (unsigned long long)shop.requests.load(),
              shop.goods.size());
  for (uint64_t sum : sums) std::printf(" %016llx", (unsigned long long)sum);
  std::printf("\n");
}
