// jbb: the order processing of a wholesale company with several warehouses (SPEC JBB2000, after TPC-C).
// Papers: FastTrack Tables 1-3, RedCard Tables 1-2. (Their version has two benign races; this one has none.)
// Sharing: a tree of objects in maps: company, warehouses, districts, orders, order lines. A thread works
// mostly in its own warehouses; one order line in ten and one payment in seven go to another one. Every
// district, every warehouse's takings and every stock shelf has its lock. The catalogue is only read.
#include "program.h"

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

using namespace bench;

namespace {

constexpr size_t warehouses = 16, districts = 10, customers = 60, items = 2'000, shelves = 8;

struct OrderLine {
  size_t item;
  uint64_t quantity, amount;
};

struct Order {
  size_t customer;
  std::vector<OrderLine> lines;
  uint64_t total = 0;
};

struct Customer {
  int64_t balance = 0;
  uint64_t last_order = 0;
};

struct District {
  std::mutex mutex;
  std::map<uint64_t, std::unique_ptr<Order>> open_orders;
  std::map<size_t, Customer> customer;
  uint64_t next_order = 1, ordered = 0, delivered = 0, paid = 0;
};

struct Stock {
  uint64_t quantity = 50, sold = 0;
};

struct Shelf {
  std::mutex mutex;
  std::unordered_map<size_t, Stock> stock;
};

struct Warehouse {
  std::array<District, districts> district;
  std::array<Shelf, shelves> shelf;
  std::mutex mutex;
  uint64_t paid = 0;
};

struct Item {
  uint64_t price;
};

class Company {
public:
  Company() {
    Random random(2000);
    for (size_t i = 0; i < items; ++i) catalogue_[i] = std::make_unique<Item>(Item{1 + random.below(10'000)});
    for (size_t w = 0; w < warehouses; ++w) {
      auto warehouse = std::make_unique<Warehouse>();
      for (size_t i = 0; i < items; ++i) warehouse->shelf[i % shelves].stock[i];
      warehouse_.push_back(std::move(warehouse));
    }
  }

  // The same transaction for the same number and home, whoever runs it and when.
  void transaction(uint64_t number, size_t home) {
    Random random(number);
    Warehouse& warehouse = *warehouse_[home];
    District& district = warehouse.district[random.below(districts)];
    const uint64_t kind = random.below(100);
    if (kind < 44)
      new_order(home, district, random);
    else if (kind < 88)
      payment(home, district, random);
    else if (kind < 92)
      order_status(district, random);
    else if (kind < 96)
      delivery(warehouse);
    else
      stock_level(warehouse, district);
  }

  // What is left must add up, and the sums do not depend on the order of the transactions.
  uint64_t audit() {
    uint64_t sum = 0;
    for (const auto& warehouse : warehouse_) {
      uint64_t paid = 0, sold = 0;
      for (const District& district : warehouse->district) {
        uint64_t open = 0;
        int64_t balance = 0;
        for (const auto& [id, order] : district.open_orders) open += order->total;
        for (const auto& [id, customer] : district.customer) balance += customer.balance;
        if (district.ordered != district.delivered + open) return 1;
        if (balance != int64_t(district.delivered) - int64_t(district.paid)) return 2;
        paid += district.paid;
        sum = mix(mix(sum, district.next_order), district.ordered);
      }
      if (paid != warehouse->paid) return 3;
      for (const Shelf& shelf : warehouse->shelf)
        for (const auto& [item, stock] : shelf.stock) sold += stock.sold * (item + 1);
      sum = mix(mix(sum, paid), sold);
    }
    return broken_orders_ ? 4 : sum;
  }

private:
  void new_order(size_t home, District& district, Random& random) {
    auto order = std::make_unique<Order>();
    order->customer = random.below(customers);
    const size_t lines = 5 + random.below(11);
    for (size_t i = 0; i < lines; ++i) {
      const size_t item = random.below(items), quantity = 1 + random.below(10);
      const size_t supplier = random.below(10) ? home : random.below(warehouses);
      take_from_stock(*warehouse_[supplier], item, quantity);
      const uint64_t amount = quantity * catalogue_.at(item)->price;
      order->lines.push_back({item, quantity, amount});
      order->total += amount;
    }
    std::lock_guard lock(district.mutex);
    const uint64_t id = district.next_order++;
    district.customer[order->customer].last_order = id;
    district.ordered += order->total;
    district.open_orders[id] = std::move(order);
  }

  static void take_from_stock(Warehouse& warehouse, size_t item, uint64_t quantity) {
    Shelf& shelf = warehouse.shelf[item % shelves];
    std::lock_guard lock(shelf.mutex);
    Stock& stock = shelf.stock[item];
    if (stock.quantity < quantity + 10) stock.quantity += 91;
    stock.quantity -= quantity;
    stock.sold += quantity;
  }

  void payment(size_t home, District& own, Random& random) {
    const uint64_t amount = 1 + random.below(500'000);
    const bool elsewhere = random.below(7) == 0;
    Warehouse& warehouse = *warehouse_[elsewhere ? random.below(warehouses) : home];
    District& district = elsewhere ? warehouse.district[random.below(districts)] : own;
    {
      std::lock_guard lock(warehouse.mutex);
      warehouse.paid += amount;
    }
    std::lock_guard lock(district.mutex);
    district.paid += amount;
    district.customer[random.below(customers)].balance -= int64_t(amount);
  }

  void order_status(District& district, Random& random) {
    std::lock_guard lock(district.mutex);
    const auto customer = district.customer.find(random.below(customers));
    if (customer == district.customer.end()) return;
    const auto order = district.open_orders.find(customer->second.last_order);
    if (order == district.open_orders.end()) return;
    uint64_t total = 0;
    for (const OrderLine& line : order->second->lines) total += line.amount;
    if (total == order->second->total) return;
    std::lock_guard broken(broken_mutex_);
    ++broken_orders_;
  }

  // Each district hands its oldest orders over.
  static void delivery(Warehouse& warehouse) {
    for (District& district : warehouse.district) {
      std::lock_guard lock(district.mutex);
      for (int i = 0; i < 2 && !district.open_orders.empty(); ++i) {
        const auto oldest = district.open_orders.begin();
        district.delivered += oldest->second->total;
        district.customer[oldest->second->customer].balance += int64_t(oldest->second->total);
        district.open_orders.erase(oldest);
      }
    }
  }

  // Counts what the latest orders of the district asked for and is nearly gone.
  static size_t stock_level(Warehouse& warehouse, District& district) {
    std::vector<size_t> asked;
    {
      std::lock_guard lock(district.mutex);
      auto order = district.open_orders.rbegin();
      for (int i = 0; i < 20 && order != district.open_orders.rend(); ++i, ++order)
        for (const OrderLine& line : order->second->lines) asked.push_back(line.item);
    }
    size_t low = 0;
    for (size_t item : asked) {
      Shelf& shelf = warehouse.shelf[item % shelves];
      std::lock_guard lock(shelf.mutex);
      low += shelf.stock[item].quantity < 20;
    }
    return low;
  }

  std::unordered_map<size_t, std::unique_ptr<Item>> catalogue_;
  std::vector<std::unique_ptr<Warehouse>> warehouse_;
  std::mutex broken_mutex_;
  size_t broken_orders_ = 0;
};

uint64_t jbb(const Config& config) {
  const size_t transactions = config.pick<size_t>(16'000, 840'000, 4'480'000);
  Company company;
  parallel(config.threads, [&](unsigned me) {
    const Range mine = share(transactions, me, config.threads);
    for (size_t t = mine.begin; t < mine.end; ++t) company.transaction(t, t * warehouses / transactions);
  });
  return company.audit();
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, false, {0x365ad1bc2366c474, 0x92c82d1ec911c818, 0xbcab28eacd183d65}, jbb);
}
