// Containers are read or written as a whole: the dummy field of section 7.2.
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

class Containers {
public:
  void fill_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    vector_.push_back(1);
    map_[1] = 2;
    hash_.emplace(1, 2);
    set_.insert(1);
    queue_.push(1);
    deque_.push_front(1);
    string_ += "x";
    optional_ = 1;
  }
  std::size_t vector_size_bad() { return vector_.size(); }
  bool vector_empty_bad() const { return vector_.empty(); }
  int vector_element_bad(int i) { return vector_[i]; }
  void vector_push_bad() { vector_.push_back(2); }
  void vector_clear_bad() { vector_.clear(); }
  int vector_loop_bad() {
    int sum = 0;
    for (int n : vector_) sum += n;
    return sum;
  }
  int vector_loop_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    int sum = 0;
    for (int n : vector_) sum += n;
    return sum;
  }
  std::vector<int> vector_copy_bad() { return vector_; }
  void vector_assign_bad() { vector_ = {1, 2}; }
  void vector_swap_bad(std::vector<int>& other) { vector_.swap(other); }
  void std_swap_bad(std::vector<int>& other) { std::swap(vector_, other); }
  int map_find_bad() { return map_.find(1)->second; }
  void map_insert_bad() { map_[3] = 4; }
  bool map_count_bad() { return map_.count(1); }
  bool hash_contains_bad() { return hash_.contains(1); }
  void hash_erase_bad() { hash_.erase(1); }
  bool set_bad() { return set_.count(1); }
  int queue_front_bad() { return queue_.front(); }
  void queue_pop_bad() { queue_.pop(); }
  int queue_pop_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    int n = queue_.front();
    queue_.pop();
    return n;
  }
  int deque_bad() { return deque_.back(); }
  std::string string_copy_bad() { return string_; }
  bool string_equal_bad(const std::string& other) { return string_ == other; }
  char string_char_bad() { return string_[0]; }
  const char* c_str_bad() { return string_.c_str(); }
  bool optional_bad() { return optional_.has_value(); }
  int optional_value_bad() { return *optional_; }
  void through_reference_bad() {
    auto& list = vector_;
    list.push_back(3);
  }
  void given_away_bad() { append(vector_); }
  int local_ok() {
    std::vector<int> local;
    local.push_back(1);
    return local[0];
  }
  int parameter_ok(std::vector<int> copy) {
    copy.push_back(1);
    return copy[0];
  }
  std::size_t unlocked_ok() { return never_locked_.size(); }

private:
  static void append(std::vector<int>& list) { list.push_back(4); }
  std::mutex mutex_;
  std::vector<int> vector_, never_locked_;
  std::map<int, int> map_;
  std::unordered_map<int, int> hash_;
  std::set<int> set_;
  std::queue<int> queue_;
  std::deque<int> deque_;
  std::string string_;
  std::optional<int> optional_;
};
