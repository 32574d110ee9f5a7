// The keys of the workflow language, one table per kind of map. Validation, suggestions and the
// JSON schema use these tables.

import WorkflowReading
import YAML

extension KeyTable {
  static let noContainers =
    "did you mean \"runner\"? A step runs in a container with: "
    + "runner: { container: { image: node:20 } }"
  static let noServices =
    "did you mean a step of its own? Write it like: "
    + "{ id: db, service: ./postgres, ready: { port: 5432 } }"
  static let environment = Shape.named(.variable, .template)
  static let runner = Shape.either([.template, .runnerKind])
  static let shell = Shape.either([.text, .list(.text, minimum: 1)])

  static let step = KeyTable(
    place: "a step", oneOf: kinds + ["uses", "approval"], notBoth: kinds + ["uses"],
    advice: [
      "container": noContainers, "image": noContainers, "services": noServices,
      "parallel": "a step has no branches: write - parallel: […] without \"run\"",
      "steps": "a step has no steps: write - steps: […] without \"run\"",
    ],
    keys: Tables.step.map(\.key))

  private static let kinds = Workflow.Step.kinds.map { $0.name }
}

extension KeyTable {
  /// The settings of groups.
  private static let groupKeys =
    Tables.step.compactMap(\.ofGroups) + [
      Key(
        "private-env", .computed(.boolean),
        "whether the variables that its steps set with $REPRISE_ENV stay inside of it")
    ]

  static let parallel = KeyTable(
    place: "a parallel group",
    keys: [
      Key("parallel", .branches, "branches that run in parallel", isRequired: true)
    ] + groupKeys)

  static let sequence = KeyTable(
    place: "a nested list",
    keys: [Key("steps", .steps, "steps that run in order", isRequired: true)] + groupKeys)
}
