#include "prove/program.h"

#include "facts/embedded_ir.h"
#include "prove/objects.h"
#include "prove/standard_library.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/ElimAvailExtern.h"

namespace footrace::prove {
namespace {

using ModulePtr = std::unique_ptr<llvm::Module>;

llvm::Error error(const llvm::Twine& message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Error run(const std::vector<std::string>& command) {
  std::vector<llvm::StringRef> words(command.begin(), command.end());
  std::string message;
  int code = llvm::sys::ExecuteAndWait(words[0], words, std::nullopt, {}, 0, 0, &message);
  if (code == 0) return llvm::Error::success();
  return error(message.empty() ? "the compiler failed" : message);
}

// Debug information knows every function by the name that the linker uses, also where it leaves that out.
void name_subprograms(llvm::Module& module) {
  for (llvm::Function& function : module) {
    llvm::DISubprogram* subprogram = function.getSubprogram();
    if (subprogram && subprogram->getLinkageName().empty() && subprogram->getName() != function.getName())
      subprogram->replaceLinkageName(llvm::MDString::get(module.getContext(), function.getName()));
  }
}

// -O0 closes functions to every pass.
void open_functions(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.hasFnAttribute(llvm::Attribute::OptimizeNone)) continue;
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.removeFnAttr(llvm::Attribute::NoInline);
  }
}

void lower(llvm::Module& module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  // Copies of what is elsewhere, only there to be inlined.
  passes.addPass(llvm::EliminateAvailableExternallyPass());
  passes.addPass(builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0));
  passes.run(module, modules);
}

// With link-time optimisation the object is bitcode of half-optimised code, which still carries the other.
std::vector<llvm::StringRef> modules_within(const llvm::Module& module) {
  std::vector<llvm::StringRef> found;
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (!variable.hasInitializer() || variable.getSection() != embedded_ir_section) continue;
    if (const auto* bytes = llvm::dyn_cast<llvm::ConstantDataSequential>(variable.getInitializer()))
      for (llvm::StringRef bitcode : embedded_modules(bytes->getRawDataValues())) found.push_back(bitcode);
  }
  return found;
}

// Before C++20, libstdc++'s strings are compiled elsewhere, and a proof needs their code.
constexpr const char* strings_source = R"(#include <string>
template class std::basic_string<char>;
template class std::basic_string<wchar_t>;
)";

bool lacks_strings(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) {
    llvm::StringRef name = function.getName();
    return function.isDeclaration() && !function.use_empty() && name.consume_front("_ZN") &&
           (name.consume_front("K"), name.starts_with("St7__cxx1112basic_stringI"));
  });
}

class Loader {
public:
  explicit Loader(const CompileRequest& request) : request_(request) {
    program_.context = std::make_unique<llvm::LLVMContext>();
    program_.context->setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo* info, void* loader) {
          if (info->getSeverity() != llvm::DS_Error) return;
          llvm::raw_string_ostream out(static_cast<Loader*>(loader)->problem_);
          llvm::DiagnosticPrinterRawOStream printer(out);
          info->print(printer);
        },
        this);
  }

  llvm::Error add(const std::string& file) {
    if (is_source(file)) return compile(file);
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer) return error(file + ": " + buffer.getError().message());
    llvm::StringRef contents = (*buffer)->getBuffer();
    if (has_object_format(contents)) return add_object(file, **buffer);
    if (has_archive_format(contents)) return add_archive(file, **buffer);
    llvm::StringRef kind = llvm::sys::path::extension(file);
    if (kind == ".ll" || kind == ".bc" || contents.starts_with("BC")) return add_ir(file, **buffer);
    return error(file +
                 ": neither C or C++ source nor LLVM bitcode or assembly, nor an object, an archive or an "
                 "executable for x86-64 Linux");
  }

  llvm::Error add_members() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (CarriedObject& member : members_) {
        if (member.modules.empty() || !is_needed(member)) continue;
        if (llvm::Error failed = link(std::move(member), "a member of an archive")) return failed;
        member.modules.clear();
        changed = true;
      }
    }
    return llvm::Error::success();
  }

  // They stay unknown functions if the headers of the library are not there. No source is compiled with proofs about them.
  llvm::Error add_strings() {
    if (!program_.module || !lacks_strings(*program_.module)) return llvm::Error::success();
    llvm::SmallString<128> source, output;
    if (llvm::sys::fs::createTemporaryFile("footrace-strings", "cpp", source) ||
        llvm::sys::fs::createTemporaryFile("footrace-strings", "bc", output))
      return error("cannot make a temporary file");
    llvm::FileRemover remove_source(source), remove_output(output);
    std::error_code code;
    llvm::raw_fd_ostream(source, code) << strings_source;
    if (code) return error("cannot write '" + source + "': " + code.message());
    if (llvm::Error failed =
            run(compile_command(source.str().str(), output.str().str(), {request_.clang, {"-std=c++17"}})))
      return llvm::consumeError(std::move(failed)), llvm::Error::success();
    llvm::SMDiagnostic diagnostic;
    ModulePtr module = llvm::parseIRFile(output, diagnostic, *program_.context);
    if (!module) return error(diagnostic.getMessage());
    keep_standard_functions_apart(*module);
    lower(*module);
    if (llvm::Linker::linkModules(*program_.module, std::move(module), llvm::Linker::LinkOnlyNeeded))
      return error("the strings of the C++ library cannot be linked with the program: " + problem_);
    return llvm::Error::success();
  }

  llvm::Expected<Program> take() {
    if (!program_.module && !members_.empty())
      return error(
          "nothing needs the members of the archives: name an object, a source or the executable too");
    if (!program_.module) return error("no files");
    program_.context->setDiagnosticHandlerCallBack(nullptr);
    return std::move(program_);
  }

  llvm::Error link(ModulePtr module, const std::string& file) {
    name_subprograms(*module);
    open_functions(*module);
    note_functions(*module);
    keep_standard_functions_apart(*module);
    lower(*module);
    if (!program_.module)
      program_.module = std::move(module);
    else if (llvm::Linker::linkModules(*program_.module, std::move(module)))
      return error(file + ": cannot be linked with the files before it: " + problem_);
    return llvm::Error::success();
  }

private:
  llvm::Error compile(const std::string& file) {
    llvm::SmallString<128> output;
    if (std::error_code code = llvm::sys::fs::createTemporaryFile("footrace-prove", "bc", output))
      return error("cannot make a temporary file: " + code.message());
    llvm::FileRemover remover(output);
    if (llvm::Error failed = run(compile_command(file, output.str().str(), request_)))
      return error(file + ": " + llvm::toString(std::move(failed)));
    return add(output.str().str());
  }

  llvm::Error add_ir(const std::string& file, llvm::MemoryBufferRef buffer) {
    llvm::SMDiagnostic diagnostic;
    if (buffer.getBufferSize() == 0) return error("'" + file + "' is empty; make it again");
    ModulePtr module = llvm::parseIR(buffer, diagnostic, *program_.context);
    if (!module)
      return error("'" + file + "' is neither bitcode nor textual IR of LLVM 22: " + diagnostic.getMessage());
    std::vector<llvm::StringRef> within = modules_within(*module);
    if (within.empty()) return link(std::move(module), file);
    for (llvm::StringRef bitcode : within)
      if (llvm::Error failed = add_ir(file, {bitcode, file})) return failed;
    return llvm::Error::success();
  }

  llvm::Expected<const std::set<std::string>*> known_code() {
    if (known_code_.empty() && !request_.runtime_archive.empty()) {
      llvm::Expected<std::set<std::string>> names = functions_of_archive(request_.runtime_archive);
      if (!names) return names.takeError();
      known_code_ = std::move(*names);
    }
    return &known_code_;
  }

  llvm::Error add_object(const std::string& file, llvm::MemoryBufferRef buffer) {
    llvm::Expected<const std::set<std::string>*> known = known_code();
    if (!known) return known.takeError();
    llvm::Expected<CarriedObject> object = read_object(buffer, *program_.context, **known);
    if (!object) return error(file + ": " + llvm::toString(object.takeError()));
    return link(std::move(*object), file);
  }

  llvm::Error add_archive(const std::string& file, llvm::MemoryBufferRef buffer) {
    llvm::Expected<const std::set<std::string>*> known = known_code();
    if (!known) return known.takeError();
    llvm::Expected<std::vector<CarriedObject>> objects = read_archive(buffer, *program_.context, **known);
    if (!objects) return error(file + ": " + llvm::toString(objects.takeError()));
    for (CarriedObject& object : *objects) members_.push_back(std::move(object));
    return llvm::Error::success();
  }

  llvm::Error link(CarriedObject object, const std::string& file) {
    for (ModulePtr& module : object.modules)
      if (llvm::Error failed = link(std::move(module), file)) return failed;
    program_.code_without_ir.insert(program_.code_without_ir.end(), object.code_without_ir.begin(),
                                    object.code_without_ir.end());
    return llvm::Error::success();
  }

  // It defines what the program only declares; of an archive without anything else, main.
  bool is_needed(const CarriedObject& member) const {
    return llvm::any_of(member.modules, [&](const ModulePtr& module) {
      return llvm::any_of(module->global_values(), [&](const llvm::GlobalValue& value) {
        if (value.isDeclaration() || value.hasLocalLinkage()) return false;
        if (!program_.module) return value.getName() == "main";
        const llvm::GlobalValue* known = program_.module->getNamedValue(value.getName());
        return known ? known->isDeclaration() && !known->use_empty() : false;
      });
    });
  }

  void note_functions(const llvm::Module& module) {
    program_.files.merge(source_files(module));
    for (const llvm::Function& function : module) {
      const std::string unit = unit_of(function);
      if (function.isDeclarationForLinker() || unit.empty()) continue;
      FunctionProof noted{
          function.hasLocalLinkage() ? unit : "", function.getName().str(), shape_of(function), {}};
      for (const llvm::Instruction& inst : llvm::instructions(function))
        for (const SourceAccess& access : source_accesses(inst)) noted.race_free.insert(access);
      program_.functions.push_back(std::move(noted));
    }
  }

  const CompileRequest& request_;
  std::string problem_; // what LLVM's linker had to say
  Program program_;
  std::vector<CarriedObject> members_;
  std::set<std::string> known_code_;
};

} // namespace

bool is_source(llvm::StringRef file) {
  return llvm::StringSwitch<bool>(llvm::sys::path::extension(file))
      .Cases({".c", ".i", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".ii"}, true)
      .Default(false);
}

// Without -disable-O0-optnone every function would be closed to the preparation that follows.
std::vector<std::string> compile_command(const std::string& file, const std::string& output,
                                         const CompileRequest& request) {
  std::vector<std::string> command{request.clang, "-O0"};
  command.insert(command.end(), request.arguments.begin(), request.arguments.end());
  command.insert(command.end(), {"-g", "-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-O0-optnone",
                                 "-w", "-emit-llvm", "-c", file, "-o", output});
  return command;
}

llvm::Expected<Program> load_program(const std::vector<std::string>& files, const CompileRequest& request) {
  Loader loader(request);
  for (const std::string& file : files)
    if (llvm::Error failed = loader.add(file)) return failed;
  if (llvm::Error failed = loader.add_members()) return failed;
  if (llvm::Error failed = loader.add_strings()) return failed;
  return loader.take();
}

llvm::Expected<Program> parse_program(const std::string& assembly) {
  Program program;
  program.context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  program.module = llvm::parseAssemblyString(assembly, diagnostic, *program.context);
  if (!program.module) return error(diagnostic.getMessage());
  return program;
}

} // namespace footrace::prove
