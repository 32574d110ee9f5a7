// `JobContainer`: the container in which each step of a scheduler's runner runs.

import Reprise

/// The container of each step in its job: the settings of the runner `container`, as far as they apply.
struct JobContainer: Decodable, Sendable {
  private let kind: ContainerRunner

  private var program: ContainerProgram { ContainerProgram(kind.program ?? "podman") }

  /// Decodes settings.
  init(from decoder: any Decoder) throws {
    kind = try ContainerRunner(from: decoder)
    if kind.keep != nil || kind.orphanAfter != nil {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription:
            "each step has a container of its own here; \"keep\" of the runner keeps the allocation"
        ))
    }
    if let text = kind.refusal(of: program) {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: text))
    }
  }

  /// Returns what changes attempts, so that they run in containers of jobs.
  ///
  /// The program of the containers is looked for where the job runs.
  ///
  /// - Parameters:
  ///   - attempts: The folder of all attempts; nil for the one in the surroundings.
  ///   - surroundings: What the runner may use of its engine.
  /// - Returns: The preparation.
  /// - Throws: ``FailureReason`` if there is no folder for attempts.
  func preparation(
    _ attempts: String?, _ surroundings: RunnerSurroundings
  ) throws(FailureReason) -> RunnerExecutor.Preparation {
    let folder: String
    if let attempts { folder = attempts } else { folder = try surroundings.foundAttempts() }
    let command = ContainerCommand(
      kind: kind, program: program, attempts: folder, surroundings: surroundings, isInJob: true)
    return { spec, token throws(FailureReason) in try command.wrapped(spec, token) }
  }
}
