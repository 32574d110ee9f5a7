// The variables that a makefile uses without a definition, which a user must give.

extension MakeVariables {
  /// Variables that make itself defines, or that a shell sets on its own.
  private static let ownNames: Set = [
    "CO", "COFLAGS", "CTANGLE", "CWEAVE", "F77", "F77FLAGS", "GET", "GNUMAKEFLAGS", "LINT", "M2C",
    "OBJC", "OUTPUT_OPTION", "PC", "SUFFIXES", "TANGLE", "TEX", "TEXI2DVI", "WEAVE",
    "_", "CDPATH", "DIRSTACK", "ENV", "EUID", "FUNCNAME", "GID", "GROUPS", "HISTCMD", "HOSTNAME",
    "HOSTTYPE", "IFS", "LINENO", "MACHTYPE", "MAILCHECK", "OLDPWD", "OPTARG", "OPTERR", "OPTIND",
    "OSTYPE", "PPID", "PS1", "PS2", "PS3", "PS4", "RANDOM", "REPLY", "SECONDS", "SHELLOPTS",
    "SHLVL", "SRANDOM", "UID", "argv", "path", "status",
  ]
  private static let ownPrefixes = ["MAKE", "BASH", "EPOCH", "LC_", "LD_", "DYLD_", "REPRISE"]

  /// Whether a variable can be a parameter, which the script has as a variable of the same name.
  static func canBeGiven(_ name: String) -> Bool {
    !name.isEmpty && StepNames.identifier(name) == name && !ownNames.contains(name)
      && !environment.contains(name) && name.count <= 40
      && !ownPrefixes.contains(where: name.hasPrefix) && !name.hasPrefix("OUTPUT_")
  }
}

extension MakeFindings {
  /// Says once that a variable must be given.
  func noteRequired(_ name: String, _ line: Int) {
    guard requiredNames.contains(name), noted.insert(name).inserted else { return }
    remark(
      .note, line,
      "\(name): make takes it from the environment, or as empty; here it must be given: "
        + "-p \(name)=VALUE, in which a shell reads no quotes")
  }
}
