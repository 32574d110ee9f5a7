// Files that programs keep for themselves.

/// Patterns of files that programs keep for themselves: they make them, read them, and do without.
package enum OwnFiles {
  /// Those of Reprise.
  package static let ofReprise = [".reprise/**", "**/.reprise-restoring-*"]
  /// Those of common tools.
  package static let ofTools = [
    "**/__pycache__/**", "**/.pytest_cache/**", "**/.mypy_cache/**",
    "**/.ruff_cache/**", "**/node_modules/.cache/**",
  ]

  /// The folders outside of projects whose files say nothing about a step: devices, and what programs
  /// may find empty at any time.
  static func foldersOutside(_ environment: [String: String]) -> [String] {
    let home = environment["HOME"].map { $0 + "/.cache" }
    return ["/dev", "/proc", "/sys", "/run", "/tmp", "/var/tmp"]
      + [environment["TMPDIR"], environment["XDG_CACHE_HOME"], home].compactMap(\.self)
  }
}
