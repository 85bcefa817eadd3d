// Which memory: members of members, pointers, references, copies, fresh objects.
#include <memory>
#include <mutex>
#include <utility>

struct Point {
  int x = 0, y = 0;
};
struct Node {
  int value = 0;
  Node* next = nullptr;
  Point at;
};

class Paths {
public:
  void locked_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    point_.x = 1;
    node_->value = 1;
    node_->at.x = 1;
    owned_->value = 1;
    shared_->value = 1;
    array_[0] = 1;
    whole_ = Point{1, 2};
    chain_->next->value = 1;
    flag_ = true;
  }
  int inner_member_bad() { return point_.x; }
  int other_inner_member_ok() { return point_.y; }
  int through_pointer_bad() { return node_->value; }
  int through_pointer_inner_bad() { return node_->at.x; }
  int unique_ptr_bad() { return owned_->value; }
  int unique_ptr_star_bad() { return (*owned_).value; }
  int unique_ptr_get_bad() { return owned_.get()->value; }
  int shared_ptr_bad() { return shared_->value; }
  int array_element_bad() { return array_[0]; }
  int other_element_ok() { return array_[1]; }
  int some_element_ok(int i) { return array_[i]; }
  int part_of_whole_bad() { return whole_.y; }
  Point whole_bad() { return whole_; }
  int copy_of_pointer_bad() {
    Node* node = node_;
    return node->value;
  }
  int reference_bad() {
    Point& point = point_;
    return point.x;
  }
  int const_reference_bad() {
    const auto& node = *node_;
    return node.value;
  }
  int copy_of_object_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    Point copy = point_;
    return copy.x;
  }
  int parameter_object_ok(Point point) { return point.x; }
  int local_object_ok() {
    Node node;
    node.value = 1;
    return node.value;
  }
  int fresh_object_ok() {
    Node* node = new Node;
    node->value = 1;
    int value = node->value;
    delete node;
    return value;
  }
  int fresh_unique_ok() {
    auto node = std::make_unique<Node>();
    node->value = 1;
    return node->value;
  }
  int reassigned_parameter_ok(Node* node) {
    node = new Node;
    return node->value;
  }
  void address_given_away_bad() { set(&point_.x); }
  void reference_given_away_bad() { increase(point_.x); }
  int getter_bad() { return inner().x; }
  int two_steps_bad() { return chain_->next->value; }
  int replaced_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    node_ = new Node;
    return node_->value;
  }
  bool negation_bad() { return !flag_; }
  int discarded_ok() { return (void)flag_, 1; } // nothing is read
  int ternary_bad(bool which) { return which ? point_.x : 0; }
  bool and_bad(bool which) { return which && flag_; }
  int in_argument_bad() { return twice(point_.x); }
  int in_condition_bad() {
    if (flag_) return 1;
    return 0;
  }
  int in_switch_bad() {
    switch (point_.x) {
    case 1:
      return 1;
    default:
      return 0;
    }
  }
  int lambda_called_bad() {
    auto read = [this] { return point_.x; };
    return read();
  }
  int lambda_called_locked_ok() {
    auto read = [this] { return point_.x; };
    std::lock_guard<std::mutex> guard(mutex_);
    return read();
  }
  int immediately_called_bad() {
    return [&] { return point_.x; }();
  }
  int structured_binding_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    auto [x, y] = point_;
    return x + y;
  }
  std::size_t sizeof_ok() { return sizeof(point_.x); }

private:
  static void set(int* place) { *place = 1; }
  static void increase(int& place) { ++place; }
  static int twice(int n) { return 2 * n; }
  Point& inner() { return point_; }

  std::mutex mutex_;
  Point point_, whole_;
  Node* node_ = nullptr;
  Node* chain_ = nullptr;
  std::unique_ptr<Node> owned_;
  std::shared_ptr<Node> shared_;
  int array_[4] = {};
  bool flag_ = false;
};

// A pointer that is replaced elsewhere: reading it is the race.
class Replaced {
public:
  void replace_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    node_ = std::make_shared<Node>();
  }
  int use_bad() { return node_->value; }
  bool test_bad() { return node_ != nullptr; }
  void reset_bad() { node_.reset(); }
  std::shared_ptr<Node> copy_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return node_;
  }

private:
  std::mutex mutex_;
  std::shared_ptr<Node> node_;
};

class Movable {
public:
  void take_ok(std::unique_ptr<Node> node) {
    std::lock_guard<std::mutex> guard(mutex_);
    node_ = std::move(node);
  }
  std::unique_ptr<Node> give_bad() { return std::move(node_); }

private:
  std::mutex mutex_;
  std::unique_ptr<Node> node_;
};
