// Writes a first workflow into a project, for `reprise init`.

import Platform
import Reprise
import RepriseJournal
package import RepriseTerminal

/// A commented workflow to start from.
package struct FirstWorkflow {
  private let name: String

  /// Creates a workflow.
  ///
  /// - Parameter name: The name, which is also that of the file.
  /// - Throws: ``Problem`` if the name cannot be that of a file in `workflows`.
  package init(named name: String) throws(Problem) {
    let isPlain = name.utf8.allSatisfy { byte in
      let letter = Character(UnicodeScalar(byte))
      return letter.isASCII && (letter.isLetter || letter.isNumber || "_-".contains(letter))
    }
    guard isPlain, !name.isEmpty, !name.hasPrefix("-"), name.utf8.count <= 100 else {
      throw Problem(
        "error: \"\(name)\" cannot be the name of a workflow file; use at most 100 of the characters "
          + "a-z, A-Z, 0-9, _ and -")
    }
    self.name = name
  }

  /// Writes the file to the nearest folder `workflows`; without one, creates it in the root of the
  /// repository, or else in the current folder.
  ///
  /// - Returns: A message with the path of the file and the commands to try next.
  /// - Throws: ``Problem`` if the file exists or cannot be written.
  package func write() throws(Problem) -> TerminalSafe {
    let here = try currentDirectory()
    let project = ProjectFolders(from: here, home: inheritedEnvironment()["HOME"])
    let parent =
      project.nearest(withFolder: ProjectFolders.workflows)
      ?? project.paths.last { mayAccess($0 + "/.git", .existence) } ?? here
    let folder = parent + "/" + ProjectFolders.workflows
    let path = folder + "/" + name + ".yaml"
    if let existing = WorkflowFiles.existing(named: name, in: folder) {
      throw Problem("error: \"\(existing)\" exists already; choose another name: reprise init NAME")
    }
    do throws(Errno) {
      if !mayAccess(folder, .existence) {
        try makeFolder(
          folder, permissions: [.ownerReadWriteExecute, .groupReadExecute, .otherReadExecute])
      }
      try writeFile(Array(text.utf8), to: path)
    } catch {
      throw Problem("error: cannot write \"\(path)\": \(error)", cause: .internalFailure)
    }
    return """
      wrote \(path.hasPrefix(here + "/") ? String(path.dropFirst(here.count + 1)) : path)

      Run it:        reprise run \(name)
      Set a value:   reprise run \(name) -p who=Ada
      Check it:      reprise validate \(name)
      Draw it:       reprise graph \(name)
      """
  }

  /// The text of the file.
  var text: String {
    """
    # A first workflow. Run it with: reprise run \(name)
    # While it runs, press r to restart it from the top, and ? for the other keys.
    name: \(name)
    description: greets; a first workflow to change

    # Values that the caller sets, as in: reprise run \(name) -p who=Ada
    params:
      who: { default: world, description: who is greeted }

    # A list of steps runs in order. A step that fails stops those that need it.
    steps:
      # A step leaves outputs for later steps as lines name=value.
      - id: prepare
        run: echo "greeting=hello" >> "$REPRISE_OUTPUT"

      # Branches run at the same time; the next step waits for all of them.
      - parallel:
          - { id: build, run: sleep 1 }
          - { id: test, run: sleep 2 }

      # Values reach a script through variables, never as a part of its text.
      - id: greet
        env:
          GREETING: ${{ steps.prepare.outputs.greeting }}
          WHO: ${{ params.who }}
        run: echo "$GREETING $WHO"

    """
  }
}
