// The end of one object writes another one, which somebody owns.
// VERDICT: pairs
#include <memory>
#include <thread>

struct Node {
  int number = 1;
  Node* next = nullptr;
  ~Node() {
    if (next) next->number = 0; // RACE
  }
};

int main() {
  std::shared_ptr<Node> nodes[2];
  for (int i = 0; i < 2; i++) nodes[i] = std::make_shared<Node>();
  nodes[0]->next = nodes[1].get();
  std::thread thread([last = nodes[1]] { // IMPRECISE
    volatile int number = last->number;  // RACE
    (void)number;
  });
  nodes[0].reset();
  thread.join();
}
