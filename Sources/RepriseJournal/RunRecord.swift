// A run as the journal lists it. Knows no events.

package import Reprise

/// What a run is made from: everything that is needed to take it up again.
package struct RunRequest: Sendable, Equatable {
  /// The name of the workflow.
  package var workflow: String
  /// The absolute path of its file.
  package var file: String
  /// The folder that the run was started in.
  package var directory: String
  /// The text of the file when the run was started.
  package var source: String
  /// What else was asked for: arguments of the command, in a form that it can read again.
  package var options: [String: String]
  /// The group of runs of which not all may be live, if it is in one.
  package var group: String?
  /// What the record survives; not kept itself.
  package var durability: Durability

  /// Puts a request together.
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

  /// What the parameters of the workflow were given, by their names.
  package var parameters: [String: String] {
    var parameters: [String: String] = [:]
    for (key, value) in options where key.hasPrefix(Self.parameterPrefix) {
      parameters[String(key.dropFirst(Self.parameterPrefix.count))] = value
    }
    return parameters
  }

  /// What stands before the name of a parameter among the options.
  package static let parameterPrefix = "param:"

  /// The option that keeps the event that started the run.
  package static let optionOfTrigger = "trigger"

  private static let hiddenPrefix = "hidden:"

  /// The request as it may be kept: each secret in parameters and event is replaced by `***`, which is noted.
  ///
  /// - Parameter secrets: The secrets.
  /// - Returns: The same request where there is none in it.
  package func hiding(_ secrets: Secrets) -> RunRequest {
    var request = self
    for (key, text) in options {
      let shown: String
      if key == Self.optionOfTrigger {
        guard let trigger = Trigger(json: text) else { continue }
        let hidden = trigger.hiding(secrets)
        shown = hidden == trigger ? text : hidden.json
      } else if key.hasPrefix(Self.parameterPrefix) {
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

  /// The names of the parameters whose values are not kept, since a secret is in them; sorted.
  package var hiddenParameters: [String] {
    let prefix = Self.hiddenPrefix + Self.parameterPrefix
    return options.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
      .sorted()
  }

  /// Whether the event that started the run is not kept as it was, since a secret is in it.
  package var hidesTrigger: Bool { options[Self.hiddenPrefix + Self.optionOfTrigger] != nil }
}

/// Where a recorded run stands.
package enum RunStatus: String, Sendable, CaseIterable, Codable {
  /// It waits for another run of its group.
  case queued
  case running
  case succeeded
  case failed
  case cancelled
  case timedOut = "timed-out"
  /// Reprise itself could not go on.
  case abandoned
  /// Its engine has died.
  case interrupted

  /// Whether an engine drives it or waits to.
  package var isLive: Bool { self == .queued || self == .running }
}

/// A run as the journal knows it.
package struct RunRecord: Sendable, Equatable {
  /// Runs are numbered in the order in which they were begun.
  package let number: Int64
  /// The id of the run.
  package let id: RunID
  /// What it was made from.
  package let request: RunRequest
  /// When it was asked for.
  package let requestedAt: Timestamp
  /// When it ended; nil while it has not.
  package let endedAt: Timestamp?
  /// The process that drives it or drove it last.
  package let process: Int
  /// Its last generation.
  package let generation: Int
  /// Where it stands.
  package let status: RunStatus
}
