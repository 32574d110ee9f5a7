// The shells of GitHub Actions, and the languages of their scripts.

/// A shell of GitHub Actions.
struct GitHubShell {
  /// The value of `shell`; nil if there is no such shell here.
  let draft: Draft?
  let language: GitHubScript.Language

  /// Returns the shell of a name or of a command with `{0}` for the file of the script.
  init(_ name: String) {
    let words = name.split(separator: " ").map(String.init)
    switch words.first ?? "" {
    case "": (draft, language) = (.texts(["bash", "-e", "-c"]), .posix)
    case "bash" where words.count == 1: (draft, language) = (.text("bash"), .posix)
    case "sh" where words.count == 1: (draft, language) = (.texts(["sh", "-e", "-c"]), .posix)
    case "pwsh", "powershell": (draft, language) = (.texts([words[0], "-Command"]), .powerShell)
    case "python", "python3": (draft, language) = (.texts(["python3", "-c"]), .other)
    case "cmd": (draft, language) = (.texts(["cmd", "/C"]), .command)
    case "node", "ruby", "perl":
      (draft, language) = (.texts([words[0], "-e"]), .other)
    default:
      // A command line that ends with the file, as in `bash -el {0}`.
      guard words.last == "{0}", words.count > 1, words[0].hasSuffix("sh") else {
        (draft, language) = (nil, .other)
        return
      }
      (draft, language) = (.texts(words.dropLast() + ["-c"]), .posix)
    }
  }
}
