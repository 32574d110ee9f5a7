// The rules of a step that is a service: when it is ready, whether it is alive, and how it is stopped.

/// When a service is ready, whether it is alive, and how it is stopped.
package struct ServiceRule: Sendable, Equatable {
  /// How long a service must have been ready before it fails, for the limit and the delays of `restart` to
  /// begin anew; the time that containers have in Docker.
  package static let steadyTime = Duration.seconds(10)

  /// The same for this service: one that has never been alive is found dead only after some checks.
  package var steadyTime: Duration {
    Self.steadyTime + (liveness.map { ($0.interval + $0.timeout) * $0.failures } ?? .zero)
  }

  /// A check whether a service is ready.
  package enum Probe: Sendable, Equatable {
    /// This script succeeds.
    case run(String)
    /// A connection to this port of this machine is accepted.
    case port(Int)
    /// A request of this address is answered with a status from 200 to 399.
    case http(HTTPAddress)
    /// A line of its output contains this text.
    case line(String)
    /// It writes the line `ready` to the file named by `REPRISE_PROGRESS`.
    case report
  }

  /// How a service that is ready is checked: when several checks in a row fail, it is stopped and has
  /// failed.
  package struct Liveness: Sendable, Equatable {
    /// The check: `run`, `port` or `http`; nil for none.
    package var probe: Probe?
    /// The time before each check.
    package var interval: Duration = .seconds(10)
    /// The time within which a script must succeed.
    package var timeout: Duration = .seconds(10)
    /// The number of checks in a row that must fail.
    package var failures = 3

    /// Creates rules without a check.
    package init() {}
  }

  /// The check; nil if the service is ready as soon as it has started.
  package var probe: Probe?
  /// The time between two checks.
  package var interval: Duration = .milliseconds(500)
  /// The time within which an attempt must become ready; otherwise it fails.
  package var timeout: Duration = .seconds(60)
  /// The checks of a service that is ready; nil for none.
  package var liveness: Liveness?
  /// The number of the signal that asks the service to end; SIGTERM by default.
  package var stopSignal: Int32 = 15

  /// Creates the rules of a service that is ready as soon as it has started.
  package init() {}

  /// The signals that can stop a service, by name.
  package static let signals: [(name: String, number: Int32)] = [
    ("TERM", 15), ("INT", 2), ("QUIT", 3), ("HUP", 1), ("KILL", 9),
  ]
}

/// An address of the form `http://HOST:PORT/PATH`.
package struct HTTPAddress: Sendable, Equatable {
  /// The name or address of the machine, without brackets.
  package let host: String
  /// The port.
  package let port: Int
  /// The path with its query, from the first `/`.
  package let path: String

  /// Parses an address; nil if it is invalid or not `http`.
  package init?(_ text: String) {
    let prefix = "http://"
    guard text.hasPrefix(prefix), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return nil
    }
    let rest = text.dropFirst(prefix.count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let tail = rest.dropFirst(authority.count).prefix { $0 != "#" }
    path = tail.hasPrefix("/") ? String(tail) : "/" + tail
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      host = String(authority[authority.index(after: authority.startIndex)..<end])
      let port = authority[authority.index(after: end)...]
      guard let number = Self.port(port) else { return nil }
      self.port = number
    } else {
      let name = authority.prefix { $0 != ":" }
      host = String(name)
      guard let number = Self.port(authority.dropFirst(name.count)) else { return nil }
      port = number
    }
    guard !host.isEmpty, !host.contains("@") else { return nil }
  }

  /// Returns the number in a text such as `:8080`; 80 for the empty text, nil if it is invalid.
  private static func port(_ text: Substring) -> Int? {
    if text.isEmpty { return 80 }
    guard text.hasPrefix(":"), let port = Int(text.dropFirst()), (1...65_535).contains(port) else {
      return nil
    }
    return port
  }
}
