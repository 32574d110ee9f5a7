// `OutputFile`: the file to which one attempt of a step writes its outputs.

import ChildProcesses
import Platform
import Workflows

/// A temporary file that only this user can access, until it is removed.
struct OutputFile {
  /// The absolute path, for the environment of the step.
  let path: String
  /// The name of the variable with the path, for messages.
  private let variable: String

  /// Creates an empty file in the folder for temporary files.
  ///
  /// - Parameters:
  ///   - directory: The value of `TMPDIR`, if it is set.
  ///   - variable: The name of the variable with the path, for messages.
  /// - Throws: ``FailureReason`` if the file cannot be created.
  init(
    folder directory: String?, named variable: String = "REPRISE_OUTPUT"
  ) throws(FailureReason) {
    self.variable = variable
    let folder = temporaryFolder(directory)
    do throws(Errno) {
      path = try makeTemporaryFile(TemporaryFiles.prefix("output", directory))
    } catch .tooManyOpenFiles, .tooManyOpenFilesInSystem {
      throw .notStarted("\(SpawnError.outOfDescriptors)")
    } catch {
      throw .notStarted(
        "cannot create its output file in \"\(folder)\": \(error); "
          + "free some space there or set TMPDIR")
    }
  }

  /// Reads the outputs.
  ///
  /// - Returns: The outputs; empty if the step has removed the file.
  /// - Throws: ``FailureReason`` if the file is invalid.
  func outputs() throws(FailureReason) -> StepOutputs {
    // Most steps write no outputs; for them, one system call is enough.
    guard let status = try? Stat(at: path, followsLink: false) else { return [:] }
    if status.type == .regular && status.size == 0 { return [:] }
    guard status.type == .regular else { throw noFile }
    let file: OpenFile
    do throws(Errno) {
      file = try OpenFile(path, options: [.noFollow, .nonBlocking])
    } catch {
      throw .badOutputs("cannot open the file: \(error)")
    }
    guard (try? file.status())?.type == .regular else { throw noFile }
    guard let bytes = try? file.readAll(upTo: OutputText.bytesMax) else { return [:] }
    guard bytes.count <= OutputText.bytesMax else {
      throw .badOutputs(
        "more than \(OutputText.bytesMax) bytes; write large data to other files")
    }
    guard !bytes.isEmpty else { return [:] }
    do throws(OutputText.ParseError) {
      return try OutputText.outputs(in: bytes)
    } catch {
      let place = variable == "REPRISE_OUTPUT" ? "" : variable + ", "
      throw .badOutputs("\(place)line \(error.line): \(error.message)")
    }
  }

  private var noFile: FailureReason {
    .badOutputs(
      "\(variable) is no longer a regular file; write to the file, but do not replace it")
  }

  /// Removes the file, or anything that the step has replaced it with.
  func remove() {
    do throws(Errno) {
      try removeFile(path)
    } catch {
      if error == .isDirectory || error == .notPermitted { TemporaryFiles.remove(path) }
    }
  }
}
