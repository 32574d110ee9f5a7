// The walk through a tree of folders, for searches and for watches.

/// The folders that a walk has still to visit.
///
/// They are on a stack of its own, so that a tree may be of any depth. The caller reads each folder
/// with `FolderReader`, looks with ``FoundPath`` at what that leaves open, and enters what it wants.
package struct TreeWalk<Folder> {
  private var waiting: [Folder]

  /// Prepares a walk.
  ///
  /// - Parameter first: The folder to visit first.
  package init(from first: Folder) {
    waiting = [first]
  }

  /// Takes the folder to visit next.
  ///
  /// - Returns: The folder that was entered last; nil at the end of the walk.
  package mutating func next() -> Folder? { waiting.popLast() }

  /// Has a folder visited.
  package mutating func enter(_ folder: Folder) { waiting.append(folder) }
}

/// The folders that a walk enters only where they are named: those of git and of Reprise.
package enum InternalFolder: String, CaseIterable {
  case git = ".git"
  case reprise = ".reprise"

  /// Whether a name is that of such a folder.
  package static func hasName(_ name: some Sequence<UInt8>) -> Bool {
    allCases.contains { $0.rawValue.utf8.elementsEqual(name) }
  }
}
