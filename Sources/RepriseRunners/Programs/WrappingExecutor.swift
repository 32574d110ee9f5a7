// `WrappingExecutor`: runs steps as processes on this machine, within another program.

import ChildProcesses
import Platform
import Reprise

/// An executor that changes the command of a step before it starts it on this machine.
///
/// Everything that ``LocalExecutor`` promises holds for the changed command.
struct WrappingExecutor: Executor {
  /// Changes a specification; receives the absolute directory of the step and a folder for
  /// temporary files, which is removed at its end.
  typealias Wrap =
    @Sendable (_ spec: AttemptSpec, _ directory: String, _ temporary: String) -> AttemptSpec

  private let surroundings: RunnerSurroundings
  private let wrap: Wrap

  var environment: [String: String] { surroundings.environment }

  init(_ surroundings: RunnerSurroundings, _ wrap: @escaping Wrap) {
    self.surroundings = surroundings
    self.wrap = wrap
  }

  func execute(_ context: StepContext) async throws -> StepOutputs {
    let temporary: String
    do throws(Errno) {
      temporary = try makeTemporaryFolder(
        TemporaryFiles.prefix("output", surroundings.environment["TMPDIR"]))
    } catch {
      throw FailureReason.notStarted("cannot create its folder for temporary files: \(error)")
    }
    defer { TemporaryFiles.remove(temporary) }
    let spec = AttemptSpec(context)
    let directory = try surroundings.absoluteDirectory(of: spec)
    var variables = surroundings.environment
    variables["TMPDIR"] = temporary
    return try await AttemptProcess.run(
      wrap(spec, directory, temporary), inheriting: variables, in: surroundings.directory,
      for: context)
  }
}

extension RunnerSurroundings {
  /// Returns the absolute directory of an attempt on this machine.
  ///
  /// - Throws: ``FailureReason`` if it does not exist.
  func absoluteDirectory(of spec: AttemptSpec) throws(FailureReason) -> String {
    var path = spec.directory ?? directory ?? "."
    if !path.hasPrefix("/"), let base = directory, spec.directory != nil {
      path = base + "/" + path
    }
    guard let real = realPath(path) else { throw .notStarted("there is no folder \(path)") }
    return real
  }
}
