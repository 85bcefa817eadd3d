#include "scan/domain/call_graph.h"

#include <algorithm>
#include <unordered_map>

namespace footrace::scan::domain {

namespace {

template <class Visit> void each_call(const il::Method& method, Visit visit) {
  for (const il::Block& block : method.blocks)
    for (const il::Statement& statement : block.statements)
      if (const auto* call = std::get_if<il::Call>(&statement.what);
          call && (call->kind == il::CallKind::Plain || call->kind == il::CallKind::Spawn)) {
        visit(call->callee);
        for (const il::Closure& closure : call->closures) visit(closure.function);
      }
}

class Tarjan {
public:
  explicit Tarjan(std::vector<std::vector<unsigned>> edges)
      : edges_(std::move(edges)), nodes_(edges_.size()) {}

  std::vector<std::vector<unsigned>> run() {
    for (unsigned node = 0; node < edges_.size(); ++node)
      if (!nodes_[node].number) visit(node);
    return std::move(found_);
  }

private:
  struct Node {
    unsigned number = 0, low = 0; // numbers start at 1
    std::size_t next_edge = 0;
    bool open = false;
  };

  // Without recursion: call chains of real programs are longer than our stack.
  void visit(unsigned start) {
    std::vector<unsigned> path = {start};
    enter(start);
    while (!path.empty()) {
      unsigned node = path.back();
      if (nodes_[node].next_edge < edges_[node].size()) {
        unsigned next = edges_[node][nodes_[node].next_edge++];
        if (!nodes_[next].number) {
          enter(next);
          path.push_back(next);
        } else if (nodes_[next].open) {
          nodes_[node].low = std::min(nodes_[node].low, nodes_[next].number);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) nodes_[path.back()].low = std::min(nodes_[path.back()].low, nodes_[node].low);
      if (nodes_[node].low == nodes_[node].number) close(node);
    }
  }

  void enter(unsigned node) {
    nodes_[node].number = nodes_[node].low = ++counter_;
    nodes_[node].open = true;
    open_.push_back(node);
  }

  void close(unsigned root) {
    std::vector<unsigned>& members = found_.emplace_back();
    unsigned node;
    do {
      node = open_.back();
      open_.pop_back();
      nodes_[node].open = false;
      members.push_back(node);
    } while (node != root);
    std::ranges::sort(members);
  }

  std::vector<std::vector<unsigned>> edges_;
  std::vector<Node> nodes_;
  std::vector<unsigned> open_;
  std::vector<std::vector<unsigned>> found_;
  unsigned counter_ = 0;
};

} // namespace

std::vector<std::vector<unsigned>> components(const il::Program& program) {
  std::unordered_map<il::Name, unsigned> index;
  for (unsigned m = 0; m < program.methods.size(); ++m) index.emplace(program.methods[m].name, m);
  std::vector<std::vector<unsigned>> edges(program.methods.size());
  for (unsigned m = 0; m < program.methods.size(); ++m)
    each_call(program.methods[m], [&](il::Name callee) {
      if (auto entry = index.find(callee); entry != index.end()) edges[m].push_back(entry->second);
    });
  return Tarjan(std::move(edges)).run();
}

bool calls_itself(const il::Method& method) {
  bool found = false;
  each_call(method, [&](il::Name callee) { found |= callee == method.name; });
  return found;
}

} // namespace footrace::scan::domain
