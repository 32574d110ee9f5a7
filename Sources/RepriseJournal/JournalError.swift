// The error type of the journal, with messages that say what to do.

import Platform
import Reprise

/// The reason why runs cannot be recorded or read.
public struct JournalError: Error, Equatable, CustomStringConvertible {
  /// A complete message: what is wrong, where, and how to fix it.
  public let description: String
  /// What is wrong with a run that a caller has named.
  package enum Kind: Sendable, Equatable {
    case usedID, cancelledRun, unknownRun, runningRun
    case endedRun(RunStatus)
  }

  /// What is wrong with the run that was named; nil for everything else.
  package let kind: Kind?

  init(_ description: String, _ kind: Kind? = nil) {
    (self.description, self.kind) = (description, kind)
  }

  /// Whether a run cannot begin because its id is that of another run.
  public var isOfUsedID: Bool { kind == .usedID }
  /// Whether a run cannot be resumed because it was cancelled, which is final.
  public var isOfCancelledRun: Bool { kind == .cancelledRun }
  /// Whether the journal has no run of the id.
  public var isOfUnknownRun: Bool { kind == .unknownRun }
  /// Whether a run cannot be resumed because another process drives it, or this one.
  public var isOfRunningRun: Bool { kind == .runningRun }

  static func used(_ id: RunID) -> JournalError {
    JournalError("the id \(id) is used by another run", .usedID)
  }

  static func cancelled(_ id: RunID) -> JournalError {
    JournalError("run \(id) was cancelled, which is final", .cancelledRun)
  }

  static func unknown(_ id: RunID) -> JournalError {
    JournalError("there is no run \(id)", .unknownRun)
  }

  static func running(_ id: RunID, in process: Int?) -> JournalError {
    JournalError(
      "run \(id) is running in process \(process.map(String.init) ?? "?")", .runningRun)
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
