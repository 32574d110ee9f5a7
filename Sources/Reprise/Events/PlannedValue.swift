// `PlannedValue`: a value that an approval or a start asks for, as forms need it.

public import Workflows

/// A value that is asked for: by an approval in the plan of a run, or as a parameter of a workflow.
public struct PlannedValue: Sendable, Equatable, Codable {
  /// The name of the value.
  public var name: String
  /// Its type in workflow files, such as `string`, `number` or `choice`.
  public var type: String
  /// The default as text; nil if it must be given.
  public var `default`: String?
  /// What can be chosen; nil if it is not a choice.
  public var options: [String]?
  /// Whether it must be given.
  public var required: Bool
  /// A description for users.
  public var description: String?

  /// Creates the description of a parameter.
  public init(_ parameter: Parameter) {
    name = parameter.name
    type = parameter.kind.name
    `default` = parameter.defaultValue?.asText
    required = parameter.defaultValue == nil
    description = parameter.description
    options = if case .choice(let all) = parameter.kind { all } else { nil }
  }
}
