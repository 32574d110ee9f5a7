// The types of recorded runs: the request, the status and the record of a run.

public import Reprise

/// The request of a run: everything that is needed to resume it.
package struct RunRequest: Sendable, Equatable {
  /// The name of the workflow.
  package var workflow: String
  /// The absolute path of the workflow file.
  package var file: String
  /// The working directory of the run.
  package var directory: String
  /// The text of the file when the run started.
  package var source: String
  /// The options of the command, including parameters, in a form that it can decode again.
  package var options: [String: String]
  /// The concurrency group of the run, if any.
  package var group: String?
  /// The failure that the record survives; not stored.
  package var durability: Durability
  /// The number of bytes to keep of the output of each attempt; nil for the default; not stored.
  package var logBytesMax: Int64?

  /// Creates a request.
  package init(
    workflow: String, file: String, directory: String, source: String,
    options: [String: String] = [:], group: String? = nil, durability: Durability = .process
  ) {
    self.workflow = workflow
    self.file = file
    self.directory = directory
    self.source = source
    self.options = options
    self.group = group
    self.durability = durability
  }

  /// The given parameter values, by name.
  package var parameters: [String: String] {
    var parameters: [String: String] = [:]
    for (key, value) in options where key.hasPrefix(Self.parameterPrefix) {
      parameters[String(key.dropFirst(Self.parameterPrefix.count))] = value
    }
    return parameters
  }

  /// The prefix of parameter names among the options.
  package static let parameterPrefix = "param:"

  /// The option with the event that started the run.
  package static let optionOfTrigger = "trigger"

  /// The option with the path of the program that alone can run the workflow again.
  package static let optionOfProgram = "program"

  /// The option that marks a workflow that came as text rather than from a file.
  package static let optionOfText = "text"

  /// Whether the workflow came as text rather than from a file.
  package var isText: Bool { options[Self.optionOfText] != nil }

  /// The path of the workflow file; nil if the workflow did not come from a file.
  package var workflowFile: String? { isText || file == program ? nil : file }

  /// The path of the program that drives the run, if the workflow contains code of that program.
  package var program: String? { options[Self.optionOfProgram] }

  /// The option with the arguments after `--`, as a list in JSON.
  package static let optionOfArguments = "args"

  /// The option of a run that stays up until it is stopped although its file does not say so.
  package static let optionOfStayingUp = "up"

  static let hiddenPrefix = "hidden:"

  /// Returns the request with secrets in parameters, arguments and the event replaced by `***`.
  ///
  /// Marks the options that contained secrets.
  ///
  /// - Parameter secrets: The secrets.
  /// - Returns: The request; unchanged if it contains no secrets.
  package func hiding(_ secrets: Secrets) -> RunRequest {
    var request = self
    for (key, text) in options {
      let shown: String
      if key == Self.optionOfTrigger {
        guard let trigger = Trigger(json: text) else { continue }
        let hidden = trigger.hiding(secrets)
        shown = hidden == trigger ? text : hidden.json
      } else if key.hasPrefix(Self.parameterPrefix) || key == Self.optionOfArguments {
        shown = secrets.hidden(in: text)
      } else {
        continue
      }
      guard shown != text else { continue }
      request.options[key] = shown
      request.options[Self.hiddenPrefix + key] = "true"
    }
    return request
  }

  /// The names of the parameters whose values are not stored because they contain secrets; sorted.
  package var hiddenParameters: [String] {
    let prefix = Self.hiddenPrefix + Self.parameterPrefix
    return options.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
      .sorted()
  }

  /// Whether the arguments contained a secret, which is not stored.
  package var hidesArguments: Bool { options[Self.hiddenPrefix + Self.optionOfArguments] != nil }

  /// The event that started the run; nil if there was none, or if it cannot be read.
  package var trigger: Trigger? { options[Self.optionOfTrigger].flatMap(Trigger.init(json:)) }

  /// Whether the event that started the run contained a secret, which is not stored.
  package var hidesTrigger: Bool { options[Self.hiddenPrefix + Self.optionOfTrigger] != nil }
}

/// The status of a recorded run.
public enum RunStatus: String, Sendable, CaseIterable, Codable {
  /// The run is waiting for another run of its group.
  case queued
  /// The run is in progress.
  case running
  /// Every step has succeeded, or may fail.
  case succeeded
  /// The condition of the workflow did not hold.
  case skipped
  /// A step has failed.
  case failed
  /// The run was cancelled.
  case cancelled
  /// The run has exceeded its timeout.
  case timedOut = "timed-out"
  /// Reprise itself could not continue.
  case abandoned
  /// The engine of the run has died.
  case interrupted

  /// Whether an engine drives the run, or waits to start it.
  public var isLive: Bool { self == .queued || self == .running }
}

/// A recorded run.
public struct RunRecord: Sendable, Equatable, Identifiable {
  /// The number of the run, in the order in which runs were requested.
  package let number: Int64
  /// The id of the run.
  public let id: RunID
  /// The name of the workflow.
  public var workflow: String { request.workflow }
  /// The values of the parameters of the workflow, as text, by name.
  ///
  /// Values that contain a secret are missing: they are not recorded.
  public var parameters: [String: String] {
    let hidden = request.hiddenParameters
    return request.parameters.filter { !hidden.contains($0.key) }
  }
  /// The request of the run.
  package internal(set) var request: RunRequest
  /// The time of the request.
  public let requestedAt: Timestamp
  /// The time of the end; nil if the run has not ended.
  public let endedAt: Timestamp?
  /// The process that drives the run, or drove it last.
  public let process: Int
  /// The latest generation.
  public let generation: Int
  /// The status of the run.
  public let status: RunStatus
}
