// The kinds of runners that the command offers. A new kind is a file in Runners and a line here.

import Platform
public import Reprise

/// The kinds of runners that the command `reprise` has: `survive`, `sandbox`, `container`, `ssh`, `slurm` and
/// `batch`.
public enum StandardRunners: Sendable {
  private static let kinds: [any RunnerKind.Type] = [
    SurviveRunner.self, SandboxRunner.self, ContainerRunner.self, SSHRunner.self,
    SlurmRunner.self, BatchRunner.self,
  ]

  /// Registers all kinds with an engine, so that its workflows can use them as those of the command do.
  ///
  /// - Parameter engine: The engine.
  public static func register(with engine: inout Engine) {
    for kind in kinds { engine.register(kind) }
  }

  /// The program of this process, if it is `reprise`, which serves attempts; nil otherwise.
  package static var ownProgram: String? {
    executablePath.flatMap { $0.hasSuffix("/reprise") ? $0 : nil }
  }

  /// The catalog with all kinds, for reading workflow files.
  package static var catalog: ActionCatalog {
    var engine = Engine()
    register(with: &engine)
    return engine.actions
  }
}
