// Entry point of the plugin. clang runs the pass by itself (-fpass-plugin), opt by name (-passes=footrace).
//
// The checks go in at OptimizerLast: per-access checks before the vectoriser would destroy vectorisation. Those that
// leave loops go in at OptimizerEarly, so that the loops are vectorised without them.
// With link-time optimisation clang calls these extension points in the compile step, and whoever loads the
// plugin into the link step as well must not get a second set of checks. With -footrace-lto=link the compile step only leaves
// a mark, and modules with that mark get their checks in the link step.
#include "instrument/link_step.h"
#include "instrument/options.h"
#include "instrument/pass.h"
#include "instrument/proved.h"

#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

using namespace llvm;

namespace footrace {
namespace {

bool has_link_step_after(ThinOrFullLTOPhase phase) {
  return phase == ThinOrFullLTOPhase::ThinLTOPreLink || phase == ThinOrFullLTOPhase::FullLTOPreLink;
}
bool has_link_step_now(ThinOrFullLTOPhase phase) {
  return phase == ThinOrFullLTOPhase::ThinLTOPostLink || phase == ThinOrFullLTOPhase::FullLTOPostLink;
}

// Without optimisation the link step runs no passes of ours.
bool must_leave_to_link_step(OptimizationLevel level, ThinOrFullLTOPhase phase) {
  return wants_link_step() && has_link_step_after(phase) && level != OptimizationLevel::O0;
}

SiteLinkage site_linkage(ThinOrFullLTOPhase phase) {
  return has_link_step_after(phase) ? SiteLinkage::Alone : SiteLinkage::WithFunction;
}

void add_early(ModulePassManager& passes, OptimizationLevel level, ThinOrFullLTOPhase phase) {
  // Without optimisation nothing stands between the two phases. Thin LTO vectorises in the link step, full LTO before.
  if (level == OptimizationLevel::O0) return;
  if (must_leave_to_link_step(level, phase) && phase == ThinOrFullLTOPhase::ThinLTOPreLink) return;
  if (has_link_step_now(phase))
    passes.addPass(OnlyInLinkStep(FootraceEarlyPass()));
  else
    passes.addPass(FootraceEarlyPass(site_linkage(phase)));
}

void add_late(ModulePassManager& passes, OptimizationLevel level, ThinOrFullLTOPhase phase) {
  if (must_leave_to_link_step(level, phase))
    passes.addPass(LeaveToLinkStepPass());
  else if (has_link_step_now(phase))
    passes.addPass(OnlyInLinkStep(FootracePass()));
  else
    passes.addPass(FootracePass(site_linkage(phase)));
}

// Argument promotion makes callers read what the function may not read. It has no option of its own.
void keep_accesses_in_their_function(PassBuilder& builder) {
  PassInstrumentationCallbacks* callbacks = builder.getPassInstrumentationCallbacks();
  if (callbacks == nullptr) return;
  callbacks->registerShouldRunOptionalPassCallback(
      [](StringRef pass, Any) { return pass != "ArgumentPromotionPass"; });
}

void register_passes(PassBuilder& builder) {
  keep_accesses_in_their_function(builder);
  builder.registerPipelineStartEPCallback([](ModulePassManager& passes, OptimizationLevel) {
    passes.addPass(FootraceNamesPass());
    passes.addPass(EmbedIrPass());
    passes.addPass(UseProofsPass());
  });
  builder.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager& passes, OptimizationLevel, ThinOrFullLTOPhase phase) {
        if (has_link_step_now(phase)) passes.addPass(NoteImportedPass());
      });
  builder.registerOptimizerEarlyEPCallback(add_early);
  builder.registerOptimizerLastEPCallback(add_late);
  builder.registerFullLinkTimeOptimizationEarlyEPCallback(
      [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(NoteVirtualCalleesPass()); });
  builder.registerFullLinkTimeOptimizationLastEPCallback(
      [](ModulePassManager& passes, OptimizationLevel level) {
        add_late(passes, level, ThinOrFullLTOPhase::FullLTOPostLink);
      });
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager& passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (name == "footrace") {
          passes.addPass(FootracePass());
          return true;
        }
        if (name == "footrace-early") {
          passes.addPass(FootraceEarlyPass());
          return true;
        }
        if (name == "footrace-names") {
          passes.addPass(FootraceNamesPass());
          return true;
        }
        return false;
      });
}

} // namespace
} // namespace footrace

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "footrace", "0.1.0", footrace::register_passes};
}
