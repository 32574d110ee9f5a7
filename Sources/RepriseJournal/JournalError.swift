// The error type of the journal, with messages that say what to do.

import Platform
import Reprise

/// The reason why runs cannot be recorded or read.
public struct JournalError: Error, Equatable, CustomStringConvertible {
  /// A complete message: what is wrong, where, and how to fix it.
  public let description: String
  /// Whether a run cannot begin because its id is that of another run.
  public let isOfUsedID: Bool
  /// Whether a run cannot be resumed because it was cancelled, which is final.
  public let isOfCancelledRun: Bool
  /// Whether the journal has no run of the id.
  public let isOfUnknownRun: Bool
  /// Whether a run cannot be resumed because another process drives it, or this one.
  public let isOfRunningRun: Bool

  init(
    _ description: String, isOfUsedID: Bool = false, isOfCancelledRun: Bool = false,
    isOfUnknownRun: Bool = false, isOfRunningRun: Bool = false
  ) {
    self.description = description
    self.isOfUsedID = isOfUsedID
    self.isOfCancelledRun = isOfCancelledRun
    self.isOfUnknownRun = isOfUnknownRun
    self.isOfRunningRun = isOfRunningRun
  }

  static func used(_ id: RunID) -> JournalError {
    JournalError("the id \(id) is used by another run", isOfUsedID: true)
  }

  static func cancelled(_ id: RunID) -> JournalError {
    JournalError("run \(id) was cancelled, which is final", isOfCancelledRun: true)
  }

  static func unknown(_ id: RunID) -> JournalError {
    JournalError("there is no run \(id)", isOfUnknownRun: true)
  }

  static func running(_ id: RunID, in process: Int?) -> JournalError {
    JournalError(
      "run \(id) is running in process \(process.map(String.init) ?? "?")", isOfRunningRun: true)
  }

  /// What a user can do about an unusable folder, in a program that embeds the engine or the command.
  static let elsewhere = "choose another folder (--state-dir of reprise)"
  /// What a user can do about an unusable journal.
  static let unrecorded = "run without recording (--no-journal of reprise)"

  /// Returns the error for a failed system call.
  static func system(_ what: String, _ path: String, _ error: Errno) -> JournalError {
    var text = "\(what) \"\(path)\": \(error)"
    switch error {
    case .noSpace, .diskQuotaExceeded: text += "; make room there" + freeSpace(path)
    case .permissionDenied, .readOnlyFileSystem, .notPermitted:
      text += "; \(elsewhere) or \(unrecorded)"
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
      text += "; raise the limit of open files (ulimit -n)"
    default: break
    }
    return JournalError(text)
  }

  /// Returns the free space, for a message about a full disk.
  static func freeSpace(_ path: String) -> String {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/")
    guard let bytes = freeBytes(inFolder: folder.isEmpty ? "." : folder) else { return "" }
    return " (\(bytes / 1024) KiB are free)"
  }
}
