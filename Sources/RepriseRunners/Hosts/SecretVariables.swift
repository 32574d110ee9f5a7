// `SecretVariables`: hands variables with secrets to a step in a container by a file.

import Masking
import Platform
import Reprise

/// Variables with secrets, which no program that runs containers must see: it would store them.
///
/// The folder for temporary files is below one that only this user can enter. In the container,
/// a shell reads the file, removes it, and becomes the program of the step.
enum SecretVariables {
  /// Returns the names of the variables of an attempt that contain a secret, also an encoded one.
  static func names(in spec: AttemptSpec) -> [String] {
    let masker = Masker(secrets: spec.secrets)
    guard !masker.isEmpty else { return [] }
    return spec.environment.filter { masker.masked($0.value) != $0.value }.keys.sorted()
  }

  /// Returns the words that run a command with the variables in the file.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - folder: The folder for temporary files.
  /// - Returns: The words, of which the first one is a path in the container.
  static func reading(_ command: [String], in folder: String) -> [String] {
    ["/bin/sh", "-c", #". "$0" && rm -f "$0"; exec "$@""#, path(in: folder)] + command
  }

  /// Moves the variables from the environment of an attempt to the file.
  ///
  /// - Throws: The system error if it cannot be written.
  static func move(from spec: inout AttemptSpec, to folder: String) throws(Errno) {
    guard let names = spec.variablesInFile, !names.isEmpty else { return }
    var text = ""
    for name in names {
      guard let value = spec.environment.removeValue(forKey: name) else { continue }
      text += "export \(name)=\(shellQuoted(value))\n"
    }
    let file = try OpenFile(
      path(in: folder), .writeOnly, options: [.create, .exclusiveCreate, .noFollow],
      permissions: FilePermissions(rawValue: 0o644))
    try writeBytes(Array(text.utf8), to: file.descriptor)
  }

  private static func path(in folder: String) -> String { folder + "/variables" }
}
