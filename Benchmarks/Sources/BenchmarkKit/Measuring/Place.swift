// The folder in which a row is measured, and the programs that it may start.

import Foundation

/// An error for a missing prerequisite of the benchmarks.
public struct Missing: Error, CustomStringConvertible {
  /// The missing prerequisite, and how to install it.
  public let description: String

  /// Creates an error.
  ///
  /// - Parameter description: The missing prerequisite, and how to install it.
  public init(_ description: String) {
    self.description = description
  }
}

/// An error for a measurement that failed.
public struct Broken: Error, CustomStringConvertible {
  /// The failure.
  public let description: String

  /// Creates an error.
  ///
  /// - Parameter description: The failure.
  public init(_ description: String) {
    self.description = description
  }
}

/// The measured programs and the instruments.
public struct Programs: Sendable {
  /// The path of the measured command.
  public let reprise: String
  /// The folder with the programs of this package.
  let own: String
  /// The folder that `install-peers` creates.
  let peers: String

  /// Creates the collection of paths.
  ///
  /// - Parameters:
  ///   - reprise: The path of the command.
  ///   - package: The path of this package.
  public init(reprise: String, package: String) {
    let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    own = URL(filePath: path ?? CommandLine.arguments[0]).deletingLastPathComponent().path
    peers = package + "/.peers/bin"
    self.reprise = reprise
  }

  /// Returns the path of a peer: installed by `install-peers`, or else in `PATH`.
  ///
  /// - Parameter name: The name, such as `ninja`.
  /// - Returns: The path.
  /// - Throws: ``Missing``.
  public func peer(_ name: String) throws -> String {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    for folder in [peers] + path.split(separator: ":").map(String.init)
    where FileManager.default.isExecutableFile(atPath: folder + "/" + name) {
      return folder + "/" + name
    }
    throw Missing("\(name) is missing: run Benchmarks/install-peers")
  }

  /// Returns the path of a program of this package.
  ///
  /// - Parameter name: The name, such as `spawn-loop`.
  /// - Returns: The path.
  /// - Throws: ``Missing``.
  func own(_ name: String) throws -> String {
    let path = own + "/" + name
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw Missing("\(name) is missing: swift build -c release --package-path Benchmarks")
    }
    return path
  }
}

/// The environment in which a row is measured.
public struct Place: Sendable {
  /// A folder for this row, initially empty.
  public let folder: String
  /// The programs that it may start.
  public let programs: Programs
  /// Whether to only check that everything works, with small counts.
  public let isQuick: Bool

  /// Creates an environment.
  ///
  /// - Parameters:
  ///   - folder: An empty folder.
  ///   - programs: The programs that the row may start.
  ///   - isQuick: Whether to use small counts.
  public init(folder: String, programs: Programs, isQuick: Bool) {
    self.folder = folder
    self.programs = programs
    self.isQuick = isQuick
  }

  /// Returns a count, or the smaller one in a quick check.
  func count(_ full: Int, quick: Int) -> Int { isQuick ? quick : full }

  /// Writes a file and returns its path.
  func write(_ name: String, _ text: String) throws -> String {
    let path = folder + "/" + name
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }

  /// Returns the path of a state directory that does not exist yet.
  func freshState() -> String { folder + "/state-" + UUID().uuidString }
}
