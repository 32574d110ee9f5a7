// Where a row is measured: its folder, and the programs that it may start.

import Foundation

/// Something that the benchmarks need is not there.
public struct Missing: Error, CustomStringConvertible {
  /// What, and what to do about it.
  public let description: String

  /// Says what is missing.
  ///
  /// - Parameter description: What, and what to do about it.
  public init(_ description: String) {
    self.description = description
  }
}

/// Something has not worked that has to.
public struct Broken: Error, CustomStringConvertible {
  /// What.
  public let description: String

  /// Says what has not worked.
  ///
  /// - Parameter description: What.
  public init(_ description: String) {
    self.description = description
  }
}

/// The programs that are measured or that measure.
public struct Programs: Sendable {
  /// The command that is measured.
  public let reprise: String
  /// The folder of the programs of this package.
  let own: String
  /// The folder that `install-peers` makes.
  let peers: String

  /// Says where programs are.
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

  /// The path of a peer: one that `install-peers` has installed, or else one of the system.
  ///
  /// - Parameter name: Such as `ninja`.
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

  /// The path of a program of this package.
  ///
  /// - Parameter name: Such as `spawn-loop`.
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

/// Where a row is measured.
public struct Place: Sendable {
  /// An empty folder of the row's own.
  public let folder: String
  /// The programs that it may start.
  public let programs: Programs
  /// Whether it is only checked that everything works: counts are small then.
  public let isQuick: Bool

  /// Says where a row is measured.
  ///
  /// - Parameters:
  ///   - folder: An empty folder.
  ///   - programs: The programs that it may start.
  ///   - isQuick: Whether counts are to be small.
  public init(folder: String, programs: Programs, isQuick: Bool) {
    self.folder = folder
    self.programs = programs
    self.isQuick = isQuick
  }

  /// A count, or the small one of a quick check.
  func count(_ full: Int, quick: Int) -> Int { isQuick ? quick : full }

  /// Writes a file and returns its path.
  func write(_ name: String, _ text: String) throws -> String {
    let path = folder + "/" + name
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }

  /// The path of a state directory that does not exist.
  func freshState() -> String { folder + "/state-" + UUID().uuidString }
}
