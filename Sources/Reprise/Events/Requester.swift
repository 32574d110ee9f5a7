// `Requester`: who asked a run for something.

/// Who asked a run for a restart, a cancellation or another intervention.
public struct Requester: Sendable, Equatable, Codable {
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
  }

  /// The way in which the request reached the run.
  public var kind: Kind
  /// The command, the key, the signal or the trigger, such as `reprise restart`.
  public var name: String?
  /// The id of the process that made the request, if it is another one.
  public var process: Int?
  /// The name or number of the user who made the request, if it is another process.
  public var user: String?

  /// Creates a requester.
  ///
  /// - Parameters:
  ///   - kind: The way in which the request reaches the run.
  ///   - name: The command, the key, the signal or the trigger.
  ///   - process: The id of the process that makes the request, if it is another one.
  ///   - user: The name or number of the user who makes the request.
  public init(_ kind: Kind, name: String? = nil, process: Int? = nil, user: String? = nil) {
    self.kind = kind
    self.name = name
    self.process = process
    self.user = user
  }

  /// The program that embeds the engine.
  public static let api = Requester(.api)
}

extension Requester: CustomStringConvertible {
  /// A phrase such as `reprise restart (pid 1234)`, to follow the word *by*.
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
      }
    let details = [user.map { "user \($0)" }, process.map { "pid \($0)" }].compactMap(\.self)
    return details.isEmpty ? what : "\(what) (\(details.joined(separator: ", ")))"
  }
}
