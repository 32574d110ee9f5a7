// `Requester`: who asked a run for something, and for what.

import Platform

/// Who asked a run for a restart, a cancellation or another intervention.
public struct Requester: Sendable, Equatable {
  /// The way in which the request reached the run.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// A key in the terminal of the run.
    case key
    /// A key in the display of `reprise attach`, in another terminal.
    case attach
    /// A command such as `reprise restart`.
    case command
    /// A signal to the process of the run.
    case signal
    /// Another program, over the control socket or the standard input of an engine.
    case program
    /// The trigger of a watch.
    case watch
    /// The program that embeds the engine.
    case api
    /// The release of the last reference to the run, in the program that embeds the engine.
    case release
    /// The run itself, which runs a group again because of its `retry`.
    case retry
  }

  private struct Fields: Sendable, Equatable, Codable {
    var kind: Kind
    var name: String?
    var process: Int?
    var user: String?
    var comment: String?
    var steps: [String]?
  }

  // Boxed, because there are many events and steps, and few of them have a requester.
  private final class Box: Sendable {
    let fields: Fields
    init(_ fields: Fields) { self.fields = fields }
  }

  private let box: Box

  /// The way in which the request reached the run.
  public var kind: Kind { box.fields.kind }
  /// The command, the key, the signal or the trigger, such as `reprise restart`.
  public var name: String? { box.fields.name }
  /// The id of the process that made the request, if it is another one.
  public var process: Int? { box.fields.process }
  /// The name of the user who made the request, if it is known.
  public var user: String? { box.fields.user }
  /// What the requester said about the request.
  public var comment: String? { box.fields.comment }
  /// The steps that the request names; nil if it is about the whole run.
  public var steps: [String]? { box.fields.steps }

  /// Creates a requester.
  ///
  /// - Parameters:
  ///   - kind: The way in which the request reaches the run.
  ///   - name: The command, the key, the signal or the trigger.
  ///   - process: The id of the process that makes the request, if it is another one.
  ///   - user: The name of the user who makes the request.
  ///   - comment: What the requester says about the request.
  ///   - steps: The steps that the request names; nil if it is about the whole run.
  public init(
    _ kind: Kind, name: String? = nil, process: Int? = nil, user: String? = nil,
    comment: String? = nil, steps: [String]? = nil
  ) {
    box = Box(
      Fields(
        kind: kind, name: name, process: process, user: user, comment: comment, steps: steps))
  }

  /// The program that embeds the engine.
  public static let api = Requester(.api)

  /// Returns the requester that a signal to this process is.
  ///
  /// - Parameter number: The number of the signal.
  /// - Returns: The requester, with the name of the signal.
  package static func signal(_ number: Int32) -> Requester {
    let name =
      number == SignalNumber.user1
      ? "SIGUSR1" : String(signalName(Int(number)).prefix { $0 != " " })
    return Requester(.signal, name: name)
  }

  /// Compares all fields.
  public static func == (one: Requester, other: Requester) -> Bool {
    one.box === other.box || one.box.fields == other.box.fields
  }

  /// Returns the requester with other steps, or another process.
  package func naming(steps: [String]? = nil, process: Int? = nil) -> Requester {
    Requester(
      kind, name: name, process: process ?? self.process, user: user, comment: comment,
      steps: steps ?? self.steps)
  }

  /// Returns the requester without secrets in its texts.
  func masked(by mask: (String) -> String) -> Requester {
    Requester(
      kind, name: name.map(mask), process: process, user: user, comment: comment.map(mask),
      steps: steps)
  }
}

extension Requester: Codable {
  /// Encodes the documented fields.
  public func encode(to encoder: any Encoder) throws {
    try box.fields.encode(to: encoder)
  }

  /// Decodes a requester that `encode(to:)` has written.
  public init(from decoder: any Decoder) throws {
    box = Box(try Fields(from: decoder))
  }
}

extension Requester: CustomStringConvertible {
  /// A phrase such as `reprise restart (user ann, pid 1234)`, to follow the word *by*.
  public var description: String {
    let what =
      switch kind {
      case .key: name.map { "key \($0)" } ?? "a key"
      case .attach: (name.map { "key \($0)" } ?? "a key") + " in another terminal"
      case .command: name ?? "a command"
      case .signal: name ?? "a signal"
      case .program: name ?? "another program"
      case .watch: name.map { "the watch: \($0)" } ?? "the watch"
      case .api: name ?? "the program"
      case .release: name ?? "the release of its last reference"
      case .retry: name.map { "the retry of \($0)" } ?? "a retry"
      }
    let details = [user.map { "user \($0)" }, process.map { "pid \($0)" }].compactMap(\.self)
    return details.isEmpty ? what : "\(what) (\(details.joined(separator: ", ")))"
  }
}
