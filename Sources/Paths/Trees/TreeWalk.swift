// Walks trees of folders, for searches and watches.

/// The pending folders of a depth-first walk.
///
/// Uses an explicit stack, so the tree can have any depth. The caller reads each folder with
/// `FolderReader`, uses ``FoundPath`` for entries of unknown kind, and enters the folders that it
/// wants.
package struct TreeWalk<Folder> {
  private var waiting: [Folder]

  /// Creates a walk.
  ///
  /// - Parameter first: The folder to visit first.
  package init(from first: Folder) {
    waiting = [first]
  }

  /// Returns the next folder to visit.
  ///
  /// - Returns: The folder entered last; nil at the end of the walk.
  package mutating func next() -> Folder? { waiting.popLast() }

  /// Adds a folder to visit.
  package mutating func enter(_ folder: Folder) { waiting.append(folder) }
}

/// The folders that a walk enters only if a pattern names them.
package enum InternalFolder: String, CaseIterable {
  case git = ".git"
  case reprise = ".reprise"

  /// Returns whether a name is that of such a folder.
  package static func hasName(_ name: some Sequence<UInt8>) -> Bool {
    allCases.contains { $0.rawValue.utf8.elementsEqual(name) }
  }
}
