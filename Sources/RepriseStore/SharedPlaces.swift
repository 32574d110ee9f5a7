// Places that several machines share: a folder, and what commands of the user reach.

import Platform

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder, such as one on a network drive.
///
/// Without locks: each file is written beside and gets its name by link(2), which fails if there is one.
package struct SharedFolder: SharedPlace {
  private let path: String

  /// Creates the place of a folder.
  package init(_ path: String) { self.path = path }

  package func records(of task: String) throws -> [[UInt8]] {
    guard (try? Stat(at: path))?.type == .directory else {
      throw StoreProblem("there is no folder \"\(path)\"")
    }
    return LocalStore.records(of: task, in: path)
  }

  package func add(_ record: [UInt8], _ id: String, of task: String) throws {
    try write("results/\(task)/\(id).json") { try writeFile(record, to: $0) }
  }

  package func get(_ name: String, to path: String) throws {
    let source = try OpenFile(self.path + "/" + name)
    let target = try OpenFile(
      path, .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
    try copyContents(from: source.descriptor, to: target.descriptor)
  }

  package func put(_ name: String, from path: String) throws {
    guard (try? Stat(at: self.path + "/" + name)) == nil else { return }
    try write(name) { temporary in
      let source = try OpenFile(path)
      let target = try OpenFile(
        temporary, .writeOnly, options: [.create, .exclusiveCreate],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      try copyContents(from: source.descriptor, to: target.descriptor)
    }
  }

  private func write(_ name: String, _ make: (String) throws -> Void) throws {
    let parts = name.split(separator: "/").dropLast().joined(separator: "/")
    guard (try? Stat(at: path))?.type == .directory else {
      throw StoreProblem("there is no folder \"\(path)\"")
    }
    try makeSharedFolders(parts)
    let place = path + "/" + name
    let temporary = "\(place).\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
    defer { try? removeFile(temporary) }
    try make(temporary)
    do throws(Errno) {
      try linkFile(temporary, as: place)
    } catch {
      // Another machine was first, with the same content.
      guard error == .fileExists else { throw error }
    }
  }

  private func makeSharedFolders(_ name: String) throws(Errno) {
    var place = path
    for part in name.split(separator: "/") {
      place += "/" + part
      do throws(Errno) {
        try makeFolder(
          place, permissions: [.ownerReadWriteExecute, .groupReadWriteExecute, .otherReadExecute])
      } catch {
        guard error == .fileExists else { throw error }
      }
    }
  }
}

/// What two scripts of the user reach, such as a web server or a bucket.
///
/// All results of a task are in one file, which the last one who writes it determines: a result that is lost so only
/// makes a step run.
package struct CommandPlace: SharedPlace {
  /// Runs a script with variables.
  ///
  /// Returns whether it has succeeded; throws if it cannot be run, or takes too long.
  package typealias Runner =
    @Sendable (_ script: String, _ variables: [String: String]) throws -> Bool

  private let get: String
  private let put: String?
  /// A folder for files on their way.
  private let folder: String
  private let run: Runner

  /// Creates a place.
  ///
  /// - Parameters:
  ///   - get: The script that writes the file `$NAME` of the place to `$FILE`.
  ///   - put: The script that writes `$FILE` to the file `$NAME` of the place; nil if nothing is written.
  ///   - folder: A folder for files on their way.
  ///   - run: Runs a script.
  package init(get: String, put: String?, folder: String, run: @escaping Runner) {
    (self.get, self.put, self.folder, self.run) = (get, put, folder, run)
  }

  package func records(of task: String) throws -> [[UInt8]] {
    try withFile { file in
      // A file that is not there yet, and a place that cannot be reached, look alike.
      guard try run(get, ["NAME": "results-\(task)", "FILE": file]),
        let bytes = fileContents(file, upTo: LocalStore.recordBytesMax),
        let records = try? JSONDecoder().decode([String].self, from: Data(bytes))
      else { return [] }
      return records.map { Array($0.utf8) }
    }
  }

  package func add(_ record: [UInt8], _ id: String, of task: String) throws {
    let others = try records(of: task).prefix(LocalStore.resultsMax - 1)
    let texts = ([record] + others).map { String(decoding: $0, as: UTF8.self) }
    try withFile { file in
      try writeFile(Array(try JSONEncoder().encode(texts)), to: file)
      try send("results-\(task)", file)
    }
  }

  package func get(_ name: String, to path: String) throws {
    guard try run(get, ["NAME": Self.flat(name), "FILE": path]) else {
      throw StoreProblem("\(name) is not there", isAboutContent: true)
    }
  }

  package func put(_ name: String, from path: String) throws { try send(Self.flat(name), path) }

  private func send(_ name: String, _ file: String) throws {
    guard let put else { return }
    guard try run(put, ["NAME": name, "FILE": file]) else {
      throw StoreProblem("the script under \"put\" has failed")
    }
  }

  /// Web servers and buckets need no folders.
  private static func flat(_ name: String) -> String { name.replacing("/", with: "-") }

  private func withFile<Content>(_ body: (String) throws -> Content) throws -> Content {
    try makeFolderTree(folder)
    let file = "\(folder)/\(String(UInt64.random(in: .min ... .max), radix: 36))"
    defer { try? removeFile(file) }
    return try body(file)
  }
}
