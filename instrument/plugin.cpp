// Entry point of the plugin. clang runs the pass by itself (-fpass-plugin), opt by name (-passes=footrace).
//
// The checks go in at OptimizerLast: per-access checks before the vectoriser would destroy vectorisation.
// With link-time optimisation clang calls this extension point in the compile step, and whoever loads the
// plugin into the link step as well must not get a second set of checks.
#include "instrument/pass.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

using namespace llvm;

namespace footrace {
namespace {

void register_passes(PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(FootraceNamesPass()); });
  builder.registerOptimizerLastEPCallback(
      [](ModulePassManager& passes, OptimizationLevel, ThinOrFullLTOPhase phase) {
        switch (phase) {
        case ThinOrFullLTOPhase::None:
          passes.addPass(FootracePass(SiteLinkage::WithFunction));
          break;
        case ThinOrFullLTOPhase::ThinLTOPreLink:
        case ThinOrFullLTOPhase::FullLTOPreLink:
          passes.addPass(FootracePass(SiteLinkage::Alone));
          break;
        case ThinOrFullLTOPhase::ThinLTOPostLink:
        case ThinOrFullLTOPhase::FullLTOPostLink:
          break;
        }
      });
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager& passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (name == "footrace") {
          passes.addPass(FootracePass());
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
