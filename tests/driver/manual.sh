#!/bin/sh
# Man pages and completion say what the tables of commands and options say.
. "$(dirname "$0")/expect.sh"
expect "write all" 0 -- "$footrace" help --write-manual share
"$footrace" help | sed -n 's/^  \([a-z+-]*\)  *.*/\1/p' | sed '/^$/d' >all.txt
commands=$(sed -n '/^check$/,/^version$/p' all.txt)
expect "there are commands" 0 stdout '^scan$' stdout '^report$' -- sh -c 'echo "$0"' "$commands"
for command in $commands; do
  page=share/man/man1/footrace-$command.1
  expect "$command has a page" 0 stdout '^.SH SYNOPSIS' stdout '^.SH EXIT STATUS' -- cat "$page"
  # Each option of the help text is an item of the page and is completed.
  "$footrace" help "$command" | sed -n 's/^  \( *-[-a-z]*\).*/\1/p' | tr -d ' ' | sort -u >options.txt
  while read -r option; do
    escaped=$(printf '%s' "$option" | sed 's/-/\\\\-/g')
    grep -qF "\\fB$(printf '%s' "$option" | sed 's/-/\\-/g')\\fR" "$page" || {
      echo "FAILED: $page has no $option"
      failures=$((failures + 1))
    }
    sed -n "/^    $command) options=/p" share/bash-completion/completions/footrace | grep -qE "[ '](${option})(=| |')" || {
      echo "FAILED: bash does not complete $option of $command"
      failures=$((failures + 1))
    }
  done <options.txt
done
expect "the overview has the runtime's options" 0 stdout 'halt_on_error' stdout 'report_limit' stdout 'FOOTRACE_CLANG' -- cat share/man/man1/footrace.1
expect "no line is taken for a request" 1 -- grep -hE "^(\.[^A-Znf]|')" share/man/man1/*.1
expect "help --man" 0 stdout '^.TH "FOOTRACE-SCAN" 1' -- "$footrace" help --man scan
expect "help --man of nothing known" 2 stderr "no command 'scna'" -- "$footrace" help --man scna

complete() { # complete WORD...: what bash offers for the last word
  bash -c '. share/bash-completion/completions/footrace; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _footrace; printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
echo >some-findings.jsonl
complete footrace re >out1
expect "bash completes commands" 0 stdout '^report$' -- cat out1
complete footrace report --sa >out1
expect "bash completes options" 0 stdout '^--sarif$' -- cat out1
complete footrace report some >out1
expect "bash completes files" 0 stdout '^some-findings.jsonl$' -- cat out1
complete footrace check --pre >out1
expect "bash completes options with values" 0 stdout '^--preset=$' -- cat out1
complete footrace run --findings x -- some >out1
expect "behind -- come files" 0 stdout '^some-findings.jsonl$' -- cat out1
complete footrace help opt >out1
expect "help completes its words" 0 stdout '^options$' -- cat out1
complete footrace zzz >out1
expect "nothing known, nothing offered" 0 -- sh -c '! grep . out1'

# The other shells, as they are when somebody types.
cat >typed.zsh <<'ZSH'
# typed.zsh SETUP WORDS: what an interactive zsh makes of WORDS and the Tab key.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT='READY> '; stty -echo"
zpty -w shell "autoload -Uz compinit; $1"
zpty -w shell "footrace() { print -r -- \"GOT:\$*:\" }; print STA''RTED"
zpty -r -m shell out '*STARTED*'
zpty -w -n shell "footrace $2"$'\t\n'
zpty -r -m shell out '*GOT:*:*'
print -r -- ${${out##*GOT:}%%:*}
ZSH
cat >words.txt <<'WORDS'
repo|report
report --sar|report --sarif
prove --ti|prove --timeout
report some|report some-findings.jsonl
help repo|help report
WORDS
if command -v zsh >/dev/null; then
  while IFS='|' read -r typed completed; do
    expect "zsh with the installed file completes '$typed'" 0 stdout "^$completed *\$" -- \
      timeout 60 zsh -f typed.zsh "fpath=($work/share/zsh/site-functions \$fpath); compinit -u -D" "$typed"
    expect "zsh with a sourced one completes '$typed'" 0 stdout "^$completed *\$" -- \
      timeout 60 zsh -f typed.zsh "compinit -u -D; source <('$footrace' completion zsh)" "$typed"
  done <words.txt
  expect "zsh without it does not" 0 stdout '^rep *$' -- timeout 60 zsh -f typed.zsh 'compinit -u -D' rep
else
  echo "SKIPPED: zsh is not installed, so its completion was not exercised"
fi
if command -v fish >/dev/null; then
  fish_offers() { fish -N -c 'source share/fish/vendor_completions.d/footrace.fish; complete -C "$argv[1]"' "footrace $1"; }
  while IFS='|' read -r typed completed; do
    expect "fish completes '$typed'" 0 stdout "^${completed##* }" -- fish_offers "$typed"
  done <words.txt
  expect "fish knows nothing of zzz" 0 -- sh -c '! grep . out.txt' "$(fish_offers zzz >out.txt)"
else
  echo "SKIPPED: fish is not installed, so its completion was not exercised"
fi
for shell in bash zsh fish; do
  expect "completion $shell" 0 stdout 'explain-checks' stdout 'sarif' -- "$footrace" completion $shell
done
expect "completion of no shell" 2 stderr "no completion for 'csh'" -- "$footrace" completion csh
expect "completion without a shell" 2 stderr 'which shell' -- "$footrace" completion
bash -n share/bash-completion/completions/footrace || failures=$((failures + 1))
if command -v groff >/dev/null; then
  expect "groff finds nothing wrong" 0 -- sh -c 'for p in share/man/man1/*.1; do groff -man -ww -Tutf8 "$p" 2>&1 >/dev/null; done | { ! grep .; }'
fi
finish
