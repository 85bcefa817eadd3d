# One target per folder, three flavours. Every source is listed; nothing is globbed.
set(FOOTRACE_WARNINGS -Wall -Wextra -Wpedantic -Werror -Wno-unused-parameter -Wno-gnu-zero-variadic-macro-arguments)

# Code that may be linked into the user's program: no exceptions, no RTTI, no libstdc++, no libc calls of its own.
function(footrace_freestanding_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(footrace_${name} STATIC ${ARG_SOURCES})
  add_library(footrace::${name} ALIAS footrace_${name})
  target_include_directories(footrace_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_compile_options(footrace_${name} PRIVATE ${FOOTRACE_WARNINGS} -fno-exceptions -fno-rtti
    -fno-threadsafe-statics -fno-stack-protector -fno-sanitize=all -ftls-model=initial-exec -fPIC -mcx16
    -fvisibility=hidden -fno-omit-frame-pointer -momit-leaf-frame-pointer -fasynchronous-unwind-tables
    -U_FORTIFY_SOURCE -Wno-pedantic -include ${PROJECT_SOURCE_DIR}/base/redefine_builtins.h
    $<$<NOT:$<CONFIG:Debug>>:-O2>)
  target_link_libraries(footrace_${name} PUBLIC ${ARG_DEPENDS})
endfunction()

# Host code runs under the sanitizers of FOOTRACE_SANITIZE, except what is loaded into clang, which has none.
set(FOOTRACE_LOADED_INTO_CLANG models facts placement instrument)
function(footrace_sanitize target)
  if(FOOTRACE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${FOOTRACE_SANITIZE} -fno-sanitize-recover=all
      -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${FOOTRACE_SANITIZE}) # what links a library needs it too
  endif()
endfunction()

# Host tools: driver, findings, tests.
function(footrace_host_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(footrace_${name} STATIC ${ARG_SOURCES})
  add_library(footrace::${name} ALIAS footrace_${name})
  target_include_directories(footrace_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_compile_options(footrace_${name} PRIVATE ${FOOTRACE_WARNINGS})
  target_link_libraries(footrace_${name} PUBLIC ${ARG_DEPENDS})
  if(NOT name IN_LIST FOOTRACE_LOADED_INTO_CLANG)
    footrace_sanitize(footrace_${name})
  endif()
endfunction()

# A unit test that sits beside its code.
function(footrace_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${FOOTRACE_WARNINGS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest GTest::gtest_main)
  footrace_sanitize(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/unit)
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# Most of what it takes to compile a file that works on LLVM's IR or on clang's trees is reading their headers: once per target.
function(footrace_precompile_llvm target)
  target_precompile_headers(${target} PRIVATE <map> <memory> <optional> <set> <string> <unordered_map> <vector>
    <llvm/Analysis/LoopInfo.h> <llvm/Analysis/ScalarEvolution.h> <llvm/IR/DebugInfoMetadata.h> <llvm/IR/IRBuilder.h>
    <llvm/IR/InstIterator.h> <llvm/IR/IntrinsicInst.h> <llvm/IR/Module.h> <llvm/Support/raw_ostream.h>)
  target_compile_options(${target} PRIVATE -Xclang -fno-pch-timestamp) # so that ccache can tell them apart by content
endfunction()
# What reads and writes findings, and the driver around it.
function(footrace_precompile_json target)
  target_precompile_headers(${target} PRIVATE <algorithm> <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <string> <string_view>
    <vector> <llvm/ADT/STLExtras.h> <llvm/ADT/StringRef.h> <llvm/Support/JSON.h> <llvm/Support/MemoryBuffer.h> <llvm/Support/raw_ostream.h>)
  target_compile_options(${target} PRIVATE -Xclang -fno-pch-timestamp)
endfunction()
function(footrace_precompile_clang target)
  target_precompile_headers(${target} PRIVATE <map> <memory> <optional> <set> <string> <unordered_map> <vector>
    <clang/AST/ASTContext.h> <clang/AST/Attr.h> <clang/AST/DeclTemplate.h> <clang/AST/ExprCXX.h> <clang/AST/StmtCXX.h>
    <clang/Analysis/CFG.h> <clang/Basic/SourceManager.h>)
  target_compile_options(${target} PRIVATE -Xclang -fno-pch-timestamp)
endfunction()
