#include "driver/manual.h"

#include "config.h"
#include "driver/messages.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>
#include <fstream>

namespace footrace::driver {
namespace {

constexpr size_t text_column = 16; // text of an option's further lines begins at least here

struct RuntimeOption {
  const char *name, *value, *help;
};
constexpr RuntimeOption runtime_options[] = {
#define FR_OPTION(type, name, default_value, help) {#name, #default_value, help},
#define FR_DIRECTIVE(name, default_value, help) {#name, #default_value, help},
#include "runtime/options.def"
};

bool begins_option(llvm::StringRef line) {
  llvm::StringRef text = line.ltrim();
  const size_t indent = line.size() - text.size();
  return text.starts_with("-") && indent >= 2 && indent <= 4;
}

// "--findings FILE" and its text are apart by two spaces or more.
OptionHelp parse_option(llvm::StringRef line) {
  line = line.trim();
  size_t end = line.find("  ");
  OptionHelp option;
  llvm::StringRef head = line.substr(0, end);
  option.text = end == llvm::StringRef::npos ? "" : line.substr(end).trim().str();
  size_t name_end = head.find_first_of(" =[");
  option.name = head.substr(0, name_end).str();
  if (name_end != llvm::StringRef::npos) {
    option.is_joined = head[name_end] != ' ';
    option.argument = head.substr(name_end + (head[name_end] == '[' ? 0 : 1)).str();
  }
  return option;
}

// What roff would take for a request, an escape or a hyphen.
std::string roff(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  // A line must not begin with a control character.
  if (!result.empty() && (result[0] == '.' || result[0] == '\'')) result.insert(0, "\\&");
  return result;
}

void write_header(std::string& out, const std::string& name, const std::string& summary) {
  out +=
      ".TH \"" + llvm::StringRef(name).upper() + "\" 1 \"\" \"Footrace " FOOTRACE_VERSION "\" \"Footrace\"\n";
  out += ".SH NAME\n" + roff(name) + " \\- " + roff(summary) + "\n";
}

void write_options(std::string& out, const std::vector<OptionHelp>& options) {
  if (options.empty()) return;
  out += ".SH OPTIONS\n";
  for (const OptionHelp& option : options) {
    out += ".TP\n\\fB" + roff(option.name) + "\\fR";
    if (!option.argument.empty())
      out += (option.is_joined && option.argument[0] != '[' ? "=" : " ") +
             ("\\fI" + roff(option.argument) + "\\fR");
    out += "\n" + roff(option.text) + "\n";
  }
}

constexpr const char* exit_codes =
    ".SH EXIT STATUS\n"
    ".TP\n0\nno race was found, and the program succeeded\n"
    ".TP\n66\nraces were found\n"
    ".TP\n3\nprove: the verdict is UNKNOWN\n"
    ".TP\n2\nthe command line is wrong, or names something that cannot be used\n"
    ".TP\n1\nanything else: no compiler, a compilation that failed\n"
    ".PP\nAny other code is the program's own; 128 + n if signal n killed it.\n";

std::string overview_page() {
  std::string out;
  write_header(out, "footrace", "finds data races in C and C++ programs");
  out += ".SH SYNOPSIS\n\\fBfootrace\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.SH COMMANDS\n";
  for (const Command& command : all_commands())
    out += ".TP\n\\fB" + roff(command.synopsis) + "\\fR\n" + roff(command.summary) + "\n";
  out +=
      ".SH ENVIRONMENT\n.TP\n\\fBFOOTRACE_OPTIONS\\fR\nname=value:name=value; the same names are read from "
      "TSAN_OPTIONS first:\n.RS\n";
  for (const RuntimeOption& option : runtime_options)
    out += ".TP\n\\fB" + roff(option.name) + "\\fR (" + roff(option.value) + ")\n" + roff(option.help) + "\n";
  out += ".RE\n.TP\n\\fBFOOTRACE_CLANG\\fR\nanother clang 22 to compile with\n"
         ".TP\n\\fBFOOTRACE_REPORTER\\fR\nanother footrace\\-reporter\n"
         ".TP\n\\fBNO_COLOR\\fR\nno colour on terminals\n";
  out += exit_codes;
  out += ".SH SEE ALSO\n";
  std::string list;
  for (const Command& command : all_commands())
    list += (list.empty() ? "" : ", ") + ("\\fBfootrace\\-" + roff(command.name)) + "\\fR(1)";
  return out + list + "\n";
}

std::string command_page(const Command& command) {
  std::string out;
  write_header(out, std::string("footrace-") + command.name, command.summary);
  out += std::string(".SH SYNOPSIS\n\\fBfootrace\\fR ") + roff(command.synopsis) + "\n.SH DESCRIPTION\n";
  // What is no option, with an empty line between paragraphs.
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(command.details).split(lines, '\n');
  bool in_option = false, is_new = true;
  for (llvm::StringRef line : lines) {
    if (line.trim().empty()) {
      is_new = true;
      in_option = false;
      continue;
    }
    if (begins_option(line)) in_option = true;
    if (in_option && (begins_option(line) || line.starts_with(std::string(text_column, ' ')))) continue;
    if (in_option && !is_new) continue; // the rest of an option's text that was wrapped by hand
    in_option = false;
    if (line.starts_with("  ")) // an example to be kept as it is
      out += ".PP\n.nf\n" + roff(line) + "\n.fi\n";
    else
      out += (is_new ? ".PP\n" : "") + roff(line) + "\n";
    is_new = false;
  }
  if (!*command.details) out += roff(command.summary) + "\n";
  write_options(out, options_of(command));
  out += exit_codes;
  return out + ".SH SEE ALSO\n\\fBfootrace\\fR(1)\n";
}

std::string in_quotes(llvm::StringRef text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string words_of(const Command& command) {
  std::string words;
  for (const OptionHelp& option : options_of(command)) {
    if (!option.name.empty()) words += (words.empty() ? "" : " ") + option.name;
    // "--preset=" goes on without a space.
    if (option.is_joined && option.argument[0] != '[') words += "=";
  }
  return words;
}

std::string bash_completion() {
  std::string names, cases;
  for (const Command& command : all_commands()) {
    names += (names.empty() ? "" : " ") + std::string(command.name);
    const bool takes_words = command.run == command_help || command.run == command_completion; // below
    if (std::string words = words_of(command); !words.empty() && !takes_words)
      cases += std::string("    ") + command.name + ") options=" + in_quotes(words) + " ;;\n";
  }
  return R"(# bash completion of footrace; made of the table of commands, do not edit
_footrace() {
  local word=${COMP_WORDS[COMP_CWORD]} options= i
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ')" +
         names + R"(' -- "$word"))
    return
  fi
  # Behind "--" come the program and its arguments.
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [ "${COMP_WORDS[i]}" = -- ]; then
      COMPREPLY=($(compgen -f -- "$word"))
      return
    fi
  done
  case ${COMP_WORDS[1]} in
)" + cases +
         R"(    help) options='--man )" + names + R"( options' ;;
    completion) options='bash zsh fish' ;;
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *)
      case ${COMP_WORDS[1]} in
        help | completion) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
        *) COMPREPLY=($(compgen -f -- "$word")) ;;
      esac
      ;;
  esac
  if [ "${#COMPREPLY[@]}" -eq 1 ] && [ "${COMPREPLY[0]%=}" != "${COMPREPLY[0]}" ]; then compopt -o nospace 2>/dev/null; fi
}
complete -o filenames -F _footrace footrace
)";
}

std::string zsh_completion() {
  std::string commands, cases;
  for (const Command& command : all_commands()) {
    // A colon parts name and description.
    std::string summary = command.summary;
    for (size_t at = 0; (at = summary.find(':', at)) != std::string::npos; at += 2) summary.insert(at, "\\");
    commands += "    " + in_quotes(std::string(command.name) + ":" + summary) + "\n";
    std::string words;
    for (const OptionHelp& option : options_of(command)) {
      std::string text = option.name + (option.is_joined && option.argument[0] != '[' ? "=" : "");
      std::string help = option.text;
      for (size_t at = 0; (at = help.find(':', at)) != std::string::npos; at += 2) help.insert(at, "\\");
      words += " " + in_quotes(text + ":" + help);
    }
    if (!words.empty()) cases += std::string("    ") + command.name + ") options=(" + words + " ) ;;\n";
  }
  return "#compdef footrace\n# zsh completion of footrace; made of the table of commands, do not "
         "edit\n_footrace() {\n"
         "  local -a commands options\n  commands=(\n" +
         commands +
         "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  case "
         "$words[2] in\n" +
         cases +
         "  esac\n  if [[ $PREFIX == -* ]]; then\n    _describe option options\n  elif [[ $words[2] == help "
         "]]; then\n"
         "    _describe command commands\n  else\n    _files\n  fi\n}\n"
         // As a file of fpath it is the function's body; sourced, it says whose completion it is.
         "if [[ $funcstack[1] == _footrace ]]; then\n  _footrace \"$@\"\nelse\n  compdef _footrace "
         "footrace\nfi\n";
}

std::string fish_completion() {
  std::string out = "# fish completion of footrace; made of the table of commands, do not edit\n";
  for (const Command& command : all_commands())
    out += std::string("complete -c footrace -n __fish_use_subcommand -f -a ") + in_quotes(command.name) +
           " -d " + in_quotes(command.summary) + "\n";
  for (const Command& command : all_commands())
    for (const OptionHelp& option : options_of(command)) {
      llvm::StringRef name = option.name;
      std::string kind = name.consume_front("--") ? "-l " : "-s ";
      if (kind == "-s ") (void)name.consume_front("-");
      out += "complete -c footrace -n '__fish_seen_subcommand_from " + std::string(command.name) + "' " +
             kind + in_quotes(name) + (option.argument.empty() || option.argument[0] == '[' ? "" : " -r") +
             " -d " + in_quotes(option.text) + "\n";
    }
  std::string names;
  for (const Command& command : all_commands()) names += std::string(command.name) + ' ';
  out += "complete -c footrace -n '__fish_seen_subcommand_from help' -f -a '" + names + "options'\n";
  out += "complete -c footrace -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n";
  return out;
}

int write_file(const std::filesystem::path& file, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (out.flush()) return ExitSuccess;
  return failure("cannot write '" + file.string() + "'");
}

} // namespace

std::vector<OptionHelp> options_of(const Command& command) {
  std::vector<OptionHelp> options;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(command.details).split(lines, '\n');
  bool in_option = false;
  for (llvm::StringRef line : lines) {
    if (begins_option(line)) {
      options.push_back(parse_option(line));
      in_option = true;
    } else if (line.trim().empty()) {
      in_option = false;
    } else if (in_option) {
      options.back().text += " " + line.trim().str();
    }
  }
  return options;
}

std::string man_page(const Command* command) { return command ? command_page(*command) : overview_page(); }

std::optional<std::string> completion_script(const std::string& shell) {
  if (shell == "bash") return bash_completion();
  if (shell == "zsh") return zsh_completion();
  if (shell == "fish") return fish_completion();
  return std::nullopt;
}

int write_manual(const std::string& folder) {
  const std::filesystem::path share = folder;
  int code = write_file(share / "man/man1/footrace.1", man_page(nullptr));
  for (const Command& command : all_commands())
    if (code == ExitSuccess)
      code = write_file(share / "man/man1" / (std::string("footrace-") + command.name + ".1"),
                        man_page(&command));
  if (code == ExitSuccess)
    code = write_file(share / "bash-completion/completions/footrace", bash_completion());
  if (code == ExitSuccess) code = write_file(share / "zsh/site-functions/_footrace", zsh_completion());
  if (code == ExitSuccess)
    code = write_file(share / "fish/vendor_completions.d/footrace.fish", fish_completion());
  return code;
}

int command_completion(const Arguments& arguments) {
  if (arguments.size() != 1) return usage_error("which shell? usage: footrace completion bash|zsh|fish");
  std::optional<std::string> script = completion_script(arguments[0]);
  if (!script) return usage_error("no completion for '" + arguments[0] + "'; there are bash, zsh and fish");
  llvm::outs() << *script;
  return ExitSuccess;
}

} // namespace footrace::driver
