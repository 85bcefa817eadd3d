// montecarlo, virtual calls: processes that make prices and statistics that watch them are objects behind interfaces.
#include "montecarlo.h"

#include <memory>

using namespace bench;
using namespace bench::montecarlo;

namespace {

class Process {
public:
  virtual ~Process() = default;
  virtual double next_price() = 0;
};

class GeometricBrownianMotion : public Process {
public:
  GeometricBrownianMotion(double price, Returns returns, uint64_t seed)
      : price_(price), mean_(step_mean(returns)), deviation_(step_deviation(returns)), normal_(seed) {}
  double next_price() override {
    const double price = price_;
    price_ *= std::exp(mean_ + deviation_ * normal_.next());
    return price;
  }

private:
  double price_, mean_, deviation_;
  Normal normal_;
};

class Totals {
public:
  void add(Returns returns) { drift_ += returns.drift, volatility_ += returns.volatility; }
  void add(double last_price) { last_price_ += last_price; }
  uint64_t get_checksum() const { return checksum(drift_, volatility_, last_price_); }

private:
  double drift_ = 0, volatility_ = 0, last_price_ = 0;
};

class Statistic {
public:
  virtual ~Statistic() = default;
  virtual void watch(double price) = 0;
  virtual void add_to(Totals& totals) const = 0;
};

// By Welford's method, which keeps no path.
class ReturnsOfPath : public Statistic {
public:
  void watch(double price) override {
    if (previous_ > 0) {
      const double step = std::log(price / previous_), before = step - mean_;
      mean_ += before / double(++count_);
      squares_ += before * (step - mean_);
    }
    previous_ = price;
  }
  void add_to(Totals& totals) const override { totals.add(returns_of(mean_, squares_ / double(count_ - 1))); }

private:
  double previous_ = 0, mean_ = 0, squares_ = 0;
  size_t count_ = 0;
};

class LastPrice : public Statistic {
public:
  void watch(double price) override { price_ = price; }
  void add_to(Totals& totals) const override { totals.add(price_); }

private:
  double price_ = 0;
};

using Statistics = std::vector<std::unique_ptr<Statistic>>;

Statistics run_one(Process& process) {
  Statistics statistics;
  statistics.push_back(std::make_unique<ReturnsOfPath>());
  statistics.push_back(std::make_unique<LastPrice>());
  for (size_t i = 0; i < time_steps; ++i) {
    const double price = process.next_price();
    for (const auto& statistic : statistics) statistic->watch(price);
  }
  return statistics;
}

uint64_t simulate(const Config& config) {
  std::vector<Statistics> results(runs_of(config));
  parallel(config.threads, [&](unsigned me) {
    const Range mine = share(results.size(), me, config.threads);
    for (size_t run = mine.begin; run < mine.end; ++run) {
      const auto process = std::make_unique<GeometricBrownianMotion>(first_price, fitted, seed_of(run));
      results[run] = run_one(*process);
    }
  });

  Totals totals;
  for (const Statistics& statistics : results)
    for (const auto& statistic : statistics) statistic->add_to(totals);
  return totals.get_checksum();
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, simulate); }
