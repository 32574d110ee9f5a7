// The kinds of runners that the command offers. A new kind is a file in Runners and a line here.

import Platform
package import Reprise

/// The kinds of runners of this module.
package enum StandardRunners {
  private static let kinds: [any RunnerKind.Type] = [
    SurviveRunner.self, SandboxRunner.self, ContainerRunner.self, SSHRunner.self,
    SlurmRunner.self, BatchRunner.self,
  ]

  /// Registers all kinds with an engine.
  package static func register(with engine: inout Engine) {
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
