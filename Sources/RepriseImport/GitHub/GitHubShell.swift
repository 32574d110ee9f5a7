// The shells of GitHub Actions, and the languages of their scripts.

/// A shell of GitHub Actions.
struct GitHubShell {
  /// The value of `shell`; nil if there is no such shell here.
  var draft: Draft?
  let language: GitHubScript.Language
  /// The words of its command, to which a script is added.
  let words: [String]

  /// Returns a script of PowerShell as GitHub completes it.
  ///
  /// It ends at the first error, and with the exit status of its last program; a single command does
  /// both by itself.
  func whole(_ script: String) -> String {
    let isSingle = !script.trimmed.contains { $0.isNewline || ";|&{".contains($0) }
    guard !isSingle else { return script }
    return "$ErrorActionPreference = 'stop'\n" + script + (script.last == "\n" ? "" : "\n")
      + "if (Test-Path -LiteralPath variable:\\LASTEXITCODE) { exit $LASTEXITCODE }\n"
  }

  /// The same shell, which is that of the workflow.
  var withoutDraft: GitHubShell {
    var shell = self
    shell.draft = nil
    return shell
  }

  /// Returns the shell of a name or of a command with `{0}` for the file of the script.
  init(_ name: String) {
    var given = name.split(separator: " ").map(String.init)
    // A command line that ends with the file, as in `bash -el {0}`.
    let hasFile = given.count > 1 && given.last == "{0}"
    if hasFile { given.removeLast() }
    let posix: Set = ["sh", "bash", "dash", "zsh", "ksh"]
    switch given.first ?? "" {
    case "": (words, language) = (["bash", "-e", "-c"], .posix)
    case "bash" where given.count == 1 && !hasFile:
      (words, language) = (["bash", "-e", "-o", "pipefail", "-c"], .posix)
    case "sh" where given.count == 1 && !hasFile: (words, language) = (["sh", "-e", "-c"], .posix)
    case let shell where posix.contains(shell) && hasFile:
      (words, language) = (given + ["-c"], .posix)
    // A bash, with the programs of an environment of Windows.
    case "msys2" where hasFile:
      (words, language) = (["bash", "-e", "-o", "pipefail", "-c"], .posix)
    case "pwsh", "powershell":
      (words, language) = ([given[0], "-Command"], given.count == 1 ? .powerShell : .command)
    case "python", "python3":
      (words, language) = (["python3"] + given.dropFirst() + ["-c"], .other)
    case "node", "ruby", "perl": (words, language) = (given + ["-e"], .other)
    case "nu" where hasFile, "fish" where hasFile, "Rscript" where hasFile, "julia" where hasFile,
      "elixir" where hasFile:
      // These read a file, as there: what a script defines and what it runs can differ otherwise.
      let command = given.joined(separator: " ")
      words = [
        "sh", "-c",
        "file=$(mktemp) && printf '%s\\n' \"$0\" > \"$file\" && exec \(command) \"$file\"",
      ]
      language = .other
    case "cmd": (words, language) = (["cmd", "/C"], .command)
    default: (words, language) = ([], .other)
    }
    draft = words.isEmpty ? nil : name == "bash" ? .text("bash") : .texts(words)
  }
}
