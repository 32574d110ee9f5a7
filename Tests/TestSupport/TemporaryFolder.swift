// A temporary folder, removed with its value.

import Foundation

/// A new temporary folder.
public final class TemporaryFolder: Sendable {
  /// The path of the folder.
  public let path: String

  /// Creates the folder.
  public init() throws {
    path = FileManager.default.temporaryDirectory.path + "/reprise-files-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do {
      // Without a process: another one that starts at the same moment could inherit its pipe, and this thread
      // would wait for the end of both.
      try FileManager.default.removeItem(atPath: path)
    } catch {
      // rm(1) copes with paths that are longer than the system allows.
      _ = try? TemporaryFolder.run("/bin/rm", ["-rf", path])
    }
  }

  /// Writes a file and creates its parent folders.
  public func write(_ name: String, _ content: some Sequence<UInt8> = []) throws {
    // A random name must not lead out of the folder.
    guard !name.split(separator: "/").contains("..") else {
      throw CocoaError(.fileWriteInvalidFileName)
    }
    let url = URL(fileURLWithPath: path + "/" + name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(content).write(to: url)
  }

  /// Writes several empty files.
  public func write(_ names: [String]) throws {
    for name in names { try write(name) }
  }

  /// Creates a symbolic link.
  public func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: path + "/" + name, withDestinationPath: target)
  }

  /// Runs a program to its end, and returns its output.
  @discardableResult
  public static func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self)
  }
}
