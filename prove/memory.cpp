#include "prove/memory.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Type.h"

namespace footrace::prove {

bool may_be_written(const Object& object) {
  const auto* global = llvm::dyn_cast_or_null<llvm::GlobalVariable>(object.site);
  return !is_function(object.kind) && object.kind != ObjectKind::Constant &&
         !(object.kind == ObjectKind::Global && global && global->isConstant());
}

// More fields than any hand-written record has: a pointer that walks through memory.
static constexpr std::size_t max_fields = 1024;

ObjectId Memory::object(ObjectKind kind, const llvm::Value* site, ContextId context, llvm::Type* type,
                        std::uint64_t size, bool* is_new) {
  auto [found, inserted] = ids_.try_emplace({site, {context, kind}}, static_cast<ObjectId>(objects_.size()));
  if (is_new) *is_new = inserted;
  if (!inserted) return found->second;
  Layout layout = collapse_arrays_ ? collapsed_layout(type, data_) : Layout();
  objects_.push_back({kind, site, context, type, size, layout, {}});
  return found->second;
}

LocationId Memory::find(LocationId id) const {
  while (merged_into_[id] != id) {
    merged_into_[id] = merged_into_[merged_into_[id]];
    id = merged_into_[id];
  }
  return id;
}

LocationId Memory::location(ObjectId object, std::uint64_t offset) {
  if (objects_[object].is_pooled) return find(pool_location());
  if (objects_[object].fields.size() > max_fields) collapse_all(object);
  offset = objects_[object].layout.canonical(offset);
  auto known = objects_[object].fields.find(offset);
  if (known != objects_[object].fields.end()) return find(known->second);
  auto id = static_cast<LocationId>(locations_.size());
  locations_.push_back({object, offset, hooks_.create()});
  merged_into_.push_back(id);
  objects_[object].fields[offset] = id;
  hooks_.created(id);
  return id;
}

void Memory::merge(LocationId gone, LocationId kept) {
  merged_into_[gone] = kept;
  merged_count_++;
  hooks_.merge(locations_[gone].content, locations_[kept].content);
}

LocationId Memory::pool_location() {
  ObjectId pool = object(ObjectKind::Pool, nullptr, main_context, nullptr, unbounded);
  return shifted(location(pool, 0), {{0, 1, 0}});
}

LocationId Memory::any_function() {
  return location(object(ObjectKind::AnyFunction, nullptr, main_context, nullptr, 1), 0);
}

void Memory::pool(ObjectId id) {
  if (objects_[id].is_pooled || objects_[id].kind == ObjectKind::Pool) return;
  LocationId all = pool_location();
  std::map<std::uint64_t, LocationId> fields = std::move(objects_[id].fields);
  objects_[id].fields.clear();
  objects_[id].is_pooled = true;
  for (auto [offset, field] : fields) merge(field, all);
  hooks_.pooled(id, all);
}

void Memory::collapse(ObjectId object, Range range) {
  if (!objects_[object].layout.collapse(range)) return;
  std::map<std::uint64_t, LocationId> before = std::move(objects_[object].fields);
  std::map<std::uint64_t, LocationId> after;
  std::vector<std::pair<LocationId, LocationId>> merges;
  for (auto [offset, id] : before) {
    std::uint64_t canonical = objects_[object].layout.canonical(offset);
    auto [kept, is_first] = after.try_emplace(canonical, id);
    if (is_first)
      locations_[id].offset = canonical;
    else
      merges.push_back({id, kept->second});
  }
  objects_[object].fields = std::move(after);
  for (auto [gone, kept] : merges) merge(gone, kept);
  for (auto [offset, id] : objects_[object].fields) hooks_.created(id); // it stands for more now
}

std::uint64_t Memory::moved_by_index(ObjectId id, std::uint64_t offset, const Step& step) {
  offset = objects_[id].layout.canonical(offset);
  const Range* around = objects_[id].layout.range_at(offset);
  if (around && step.stride % around->stride == 0) return offset;
  llvm::Type* type = objects_[id].type;
  if (step.extent) {
    collapse(id, {offset, offset + step.extent, step.stride});
  } else if (!type) {
    collapse(id, {offset % step.stride, unbounded, step.stride});
  } else if (std::optional<Range> array = array_at(type, offset, step.stride, data_)) {
    collapse(id, *array);
  } else if (step.stays_in_member && is_pointer_at(type, offset, data_)) {
    return offset;
  } else if (step.stride < objects_[id].size) {
    collapse_all(id); // neither an array of such elements nor one element
  }
  return objects_[id].layout.canonical(offset);
}

std::uint64_t Memory::stepped(ObjectId id, std::uint64_t offset, const Step& step) {
  if (step.stride) return moved_by_index(id, offset, step);
  std::int64_t moved = static_cast<std::int64_t>(offset) + step.offset;
  if (moved >= 0) return objects_[id].layout.canonical(static_cast<std::uint64_t>(moved));
  // Before the first element of an array that was collapsed: the previous element, which is the same location.
  const Range* around = objects_[id].layout.range_at(offset);
  if (around && around->begin == 0) {
    auto stride = static_cast<std::int64_t>(around->stride);
    return objects_[id].layout.canonical(static_cast<std::uint64_t>((moved % stride + stride) % stride));
  }
  collapse_all(id);
  return 0;
}

LocationId Memory::shifted(LocationId from, const Shift& shift) {
  ObjectId object = object_of(from);
  if (is_function(objects_[object].kind) || objects_[object].kind == ObjectKind::Thread) return from;
  std::uint64_t offset = at(from).offset;
  for (const Step& step : shift) offset = stepped(object, offset, step);
  return location(object, offset);
}

} // namespace footrace::prove
