// `ContainerMounts`: what containers see of the files of this machine.

import Platform
import Reprise

/// The mounts of a container.
struct ContainerMounts: Sendable {
  /// The parts of each mount: the path here, that in the container, and options.
  let parts: [[String]]

  /// Reads mounts.
  ///
  /// - Parameters:
  ///   - mounts: The mounts, such as `data:/data:ro`.
  ///   - directory: What relative ones are relative to.
  /// - Throws: ``FailureReason`` if a folder to mount is not there.
  init(_ mounts: [String], relativeTo directory: String) throws(FailureReason) {
    var all: [[String]] = []
    for mount in mounts {
      var parts = mount.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      if !parts[0].hasPrefix("/") {
        guard let path = realPath(directory + "/" + parts[0]) else {
          throw .notStarted("there is no \(directory)/\(parts[0]) to mount in the container")
        }
        parts[0] = path
      }
      if parts.count == 1 { parts.append(parts[0]) }
      all.append(parts)
    }
    parts = all
  }

  /// The further paths at which mounts of its parents show a folder.
  func targets(of folder: String) -> [String] {
    guard let real = realPath(folder) else { return [] }
    let taken = Set(parts.map { $0[1] } + [folder])
    let shown: [String] = parts.compactMap { parts in
      guard let source = realPath(parts[0]) else { return nil }
      let parent = source == "/" ? "" : source
      guard real.hasPrefix(parent + "/") else { return nil }
      let target = parts[1] == "/" ? "" : parts[1]
      return target + real.dropFirst(parent.count)
    }
    return Set(shown).subtracting(taken).sorted()
  }

  /// Makes a folder that covers the state of the project in a container, with mount points in it.
  ///
  /// In the working directory, the state is a folder that the user of an image may not enter.
  ///
  /// - Parameters:
  ///   - state: The folder with the state.
  ///   - paths: What is mounted in it.
  ///   - folder: The folder of the attempt.
  /// - Returns: Its path.
  /// - Throws: ``FailureReason`` if it cannot be made.
  static func cover(
    of state: String, showing paths: [String], in folder: AttemptFolder
  ) throws(FailureReason) -> String {
    let cover = folder.path + "/state"
    do throws(Errno) {
      try makeFolderTree(cover)
      for path in paths where path.hasPrefix(state + "/") {
        var point = cover
        for name in [Substring()] + path.dropFirst(state.count).split(separator: "/") {
          if !name.isEmpty { point += "/" + name }
          try makeFolderTree(point)
          try changePermissions(of: point, to: FilePermissions(rawValue: 0o755))
        }
      }
    } catch {
      throw .notStarted("cannot write to \(folder.path): \(error)")
    }
    return cover
  }
}
