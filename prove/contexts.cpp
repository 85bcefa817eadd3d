#include "prove/contexts.h"

namespace footrace::prove {

Contexts::Contexts(unsigned k, std::size_t origin_limit) : k_(k), origin_limit_(origin_limit) {
  origins_.push_back({});
  intern({});
}

ContextId Contexts::intern(Context context) {
  auto [found, is_new] = ids_.try_emplace(context, static_cast<ContextId>(contexts_.size()));
  if (is_new) contexts_.push_back(std::move(context));
  return found->second;
}

ContextId Contexts::call(ContextId caller, const llvm::CallBase* site) {
  if (k_ == 0) return any_call(caller);
  Context context = contexts_[caller];
  context.calls.push_back(site);
  if (context.calls.size() > k_) context.calls.erase(context.calls.begin());
  return intern(std::move(context));
}

ContextId Contexts::spawn(ContextId creator, const llvm::CallBase* site, const llvm::Function* entry) {
  for (OriginId ancestor = origin_of(creator); ancestor != main_origin;
       ancestor = origin_of(origins_[ancestor].creator))
    if (origins_[ancestor].site == site && origins_[ancestor].entry == entry) return intern({ancestor, {}});
  for (OriginId id = 1; id < origins_.size(); id++)
    if (origins_[id].site == site && origins_[id].entry == entry &&
        (origins_[id].creator == creator || has_many_origins()))
      return intern({id, {}});
  origins_.push_back({site, entry, creator});
  return intern({static_cast<OriginId>(origins_.size() - 1), {}});
}

} // namespace footrace::prove
