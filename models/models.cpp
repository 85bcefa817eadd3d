#include "models/models.h"

#include <unordered_map>

namespace footrace {
namespace {

using enum Effect;
constexpr Effects None;
constexpr Effects Cancels = Throws | NoReturn; // a point at which the thread may be cancelled

constexpr Model models[] = {
#define FR_MODEL(name, effects, arguments) {name, effects, arguments},
#define FR_LIBM(name, arguments)                                                                             \
  {name, None, arguments}, {name "f", None, arguments}, {name "l", None, arguments},
#define FR_STRING(name, effects, arguments)                                                                  \
  {"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE" name, effects, arguments},
#define FR_CONST_STRING(name, effects, arguments)                                                            \
  {"_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE" name, effects, arguments},
#include "models/allocation.def"
#include "models/c11_threads.def"
#include "models/cxx_runtime.def"
#include "models/io.def"
#include "models/libc.def"
#include "models/libcxx.def"
#include "models/libm.def"
#include "models/libstdcxx.def"
#include "models/memory_functions.def"
#include "models/pthread.def"
#undef FR_MODEL
#undef FR_LIBM
#undef FR_STRING
#undef FR_CONST_STRING
};

using Index = std::unordered_map<std::string_view, const Model*>;

Index make_index() {
  Index index;
  for (const Model& model : models) index.emplace(model.name, &model);
  return index;
}

} // namespace

ArgumentUse Model::argument(unsigned index) const {
  if (arguments.empty()) return ArgumentUse::Unknown;
  return static_cast<ArgumentUse>(index < arguments.size() ? arguments[index] : arguments.back());
}

const Model* find_model(std::string_view name) {
  static const Index index = make_index();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

std::span<const Model> all_models() { return models; }

} // namespace footrace
