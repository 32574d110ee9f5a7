// `AttemptFiles`: the temporary files of one attempt.

import Platform

/// The temporary files of one attempt: for its outputs, its variables and its script.
struct AttemptFiles {
  let outputs: OutputFile
  let variables: VariablesFile
  /// The file with the script, if an interpreter reads it.
  let script: ScriptFile?

  init(outputs: OutputFile, variables: VariablesFile, script: ScriptFile?) {
    self.outputs = outputs
    self.variables = variables
    self.script = script
  }

  /// Creates the files.
  ///
  /// - Throws: ``FailureReason`` if one cannot be created; none is left then.
  init(for spec: AttemptSpec, folder directory: String?) throws(FailureReason) {
    outputs = try OutputFile(folder: directory)
    do throws(FailureReason) {
      variables = try VariablesFile(folder: directory)
    } catch {
      outputs.remove()
      throw error
    }
    do throws(FailureReason) {
      script = try spec.script.map { text throws(FailureReason) in
        try ScriptFile(text, folder: directory)
      }
    } catch {
      outputs.remove()
      variables.remove()
      throw error
    }
  }

  /// Lets other users write to the files, who can see their folder only where the attempt runs.
  func openToAllUsers() {
    for path in [outputs.path, variables.path, script?.path].compactMap(\.self) {
      try? changePermissions(of: path, to: FilePermissions(rawValue: 0o666))
    }
  }

  /// Removes the files.
  func remove() {
    outputs.remove()
    variables.remove()
    script?.remove()
  }
}

/// A temporary file with a script, which only this user can read.
struct ScriptFile {
  /// The absolute path.
  let path: String
  private let file: OutputFile

  /// Creates the file.
  ///
  /// - Throws: ``FailureReason`` if it cannot be written.
  init(_ text: String, folder directory: String?) throws(FailureReason) {
    file = try OutputFile(folder: directory)
    path = file.path
    do throws(Errno) {
      let opened = try OpenFile(path, .writeOnly, options: [.noFollow])
      try writeBytes(Array(text.utf8), to: opened.descriptor)
    } catch {
      file.remove()
      throw .notStarted("cannot write its script to \"\(path)\": \(error)")
    }
  }

  /// Removes the file.
  func remove() { file.remove() }
}
