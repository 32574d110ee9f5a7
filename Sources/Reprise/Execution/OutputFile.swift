// The file to which one attempt of a step writes its outputs. Knows nothing of what they mean.

import ChildProcesses
import Platform
import WorkflowLanguage

/// An empty file of this user's own, until it is removed.
struct OutputFile {
  /// Its absolute path, for the environment of the step.
  let path: String

  /// Makes a file in the folder for temporary files.
  ///
  /// - Parameter environment: Where `TMPDIR` is looked up.
  /// - Throws: ``FailureReason`` when it cannot be made.
  init(environment: [String: String]) throws(FailureReason) {
    let directory = environment["TMPDIR"]
    let folder = temporaryFolder(directory)
    do throws(Errno) {
      path = try makeTemporaryFile(TemporaryFiles.prefix("output", directory))
    } catch {
      throw .notStarted(
        "no file for its outputs can be made in \"\(folder)\": \(error); "
          + "make room there or set TMPDIR")
    }
  }

  /// Reads what was written.
  ///
  /// - Returns: The outputs; none where the step has removed the file.
  /// - Throws: ``FailureReason`` when it cannot be understood.
  func outputs() throws(FailureReason) -> StepOutputs {
    // Most steps write none: then one call is enough.
    guard let status = try? Stat(at: path, followsLink: false) else { return [:] }
    if status.type == .regular && status.size == 0 { return [:] }
    guard status.type == .regular else { throw Self.noFile }
    let file: OpenFile
    do throws(Errno) {
      file = try OpenFile(path, options: [.noFollow, .nonBlocking])
    } catch {
      throw .badOutputs("they cannot be read: \(error)")
    }
    guard (try? file.status())?.type == .regular else { throw Self.noFile }
    guard let bytes = try? file.readAll(upTo: OutputText.bytesMax) else { return [:] }
    guard bytes.count <= OutputText.bytesMax else {
      throw .badOutputs(
        "they are longer than \(OutputText.bytesMax) bytes; write large things to files")
    }
    guard !bytes.isEmpty else { return [:] }
    do throws(OutputText.Mistake) {
      return try OutputText.outputs(in: bytes)
    } catch {
      throw .badOutputs("line \(error.line): \(error.message)")
    }
  }

  private static let noFile = FailureReason.badOutputs(
    "REPRISE_OUTPUT is no regular file any more; write to it, and put nothing else in its place")

  /// Removes the file, or what the step has put in its place.
  func remove() {
    do throws(Errno) {
      try removeFile(path)
    } catch {
      if error == .isDirectory || error == .notPermitted { TemporaryFiles.remove(path) }
    }
  }
}
