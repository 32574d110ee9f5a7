// The file to which one attempt of a step writes its outputs. Knows nothing of what they mean.

import ChildProcesses
import WorkflowLanguage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

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
    // mkstemp(3) replaces six of that letter.
    let letters = String(repeating: "X", count: 6)
    var template = Array((TemporaryFiles.prefix("output", directory) + letters).utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw .notStarted(
        "no file for its outputs can be made in \"\(folder)\": \(String(cString: strerror(errno))); "
          + "make room there or set TMPDIR")
    }
    close(descriptor)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Reads what was written.
  ///
  /// - Returns: The outputs; none where the step has removed the file.
  /// - Throws: ``FailureReason`` when it cannot be understood.
  func outputs() throws(FailureReason) -> StepOutputs {
    // Most steps write none: then one call is enough.
    var status = stat()
    guard lstat(path, &status) == 0 else { return [:] }
    if status.st_mode & S_IFMT == S_IFREG && status.st_size == 0 { return [:] }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Self.noFile }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .badOutputs("they cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Self.noFile
    }
    guard let bytes = readBytes(of: descriptor, upTo: OutputText.bytesMax) else { return [:] }
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
    guard unlink(path) != 0, errno == EISDIR || errno == EPERM else { return }
    TemporaryFiles.remove(path)
  }
}
