// Where the page is served: a port of the loopback addresses, or a Unix socket.

/// The address of the page.
package enum WebAddress: Sendable, Equatable {
  /// A port of 127.0.0.1 and ::1.
  case loopback(port: Int)
  /// A Unix socket, for forwarding over ssh.
  case socket(path: String)

  /// Whether a `Host` names this address.
  ///
  /// A page of another site can make its own name point to 127.0.0.1 (DNS rebinding), but its
  /// requests carry that name. Through a forwarded socket, the port is that of the other side.
  ///
  /// - Parameter host: The value of the field `Host`.
  /// - Returns: Whether it is one of the names of this machine, with the port.
  func accepts(host: String) -> Bool {
    let names = ["127.0.0.1", "localhost", "[::1]"]
    switch self {
    case .loopback(let port):
      return names.contains { host == "\($0):\(port)" || (port == 80 && host == $0) }
    case .socket:
      return names.contains { name in
        guard host.hasPrefix(name) else { return false }
        let rest = host.dropFirst(name.count)
        return rest.isEmpty || rest.first == ":" && UInt16(rest.dropFirst()) != nil
      }
    }
  }
}
