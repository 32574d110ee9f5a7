// Checks whether a server on a port answers. Every call may block for some seconds.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The time after which a server that does not answer counts as not ready.
private let patienceInSeconds = 5

/// Returns whether a connection to a port is accepted.
///
/// - Parameters:
///   - host: The name or address of the machine.
///   - port: The port.
/// - Returns: Whether it is.
package func acceptsConnections(host: String, port: Int) -> Bool {
  guard let descriptor = connection(to: host, port: port) else { return false }
  closeDescriptors([descriptor])
  return true
}

/// Returns the status of the answer to a request of HTTP.
///
/// - Parameters:
///   - host: The name or address of the machine.
///   - port: The port.
///   - path: The path with its query.
/// - Returns: The status; nil if there is no answer of HTTP.
package func httpStatus(host: String, port: Int, path: String) -> Int? {
  guard let descriptor = connection(to: host, port: port) else { return nil }
  defer { closeDescriptors([descriptor]) }
  let name = host.contains(":") ? "[\(host)]" : host
  let request =
    "GET \(path) HTTP/1.0\r\nHost: \(name):\(port)\r\nUser-Agent: reprise\r\n"
    + "Connection: close\r\n\r\n"
  guard (try? sendBytes(Array(request.utf8)[...], to: descriptor)) == request.utf8.count else {
    return nil
  }
  var answer: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 64)
  while answer.count < 12, let count = try? receiveBytes(descriptor, into: &buffer), count > 0 {
    answer += buffer[..<count]
  }
  // HTTP/1.1 200 OK
  let words = answer.split(separator: UInt8(ascii: " "), maxSplits: 2)
  guard words.count >= 2, words[0].starts(with: "HTTP/".utf8) else { return nil }
  return Int(String(decoding: words[1].prefix(3), as: UTF8.self))
}

/// Returns a connected socket; nil if no address of the machine accepts a connection.
private func connection(to host: String, port: Int) -> Int32? {
  var hints = unsafe addrinfo()
  unsafe hints.ai_socktype = streamSocketType
  var list: UnsafeMutablePointer<addrinfo>?
  guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else { return nil }
  defer { unsafe freeaddrinfo(list) }
  var next = unsafe list
  while let entry = unsafe next {
    unsafe next = unsafe entry.pointee.ai_next
    let family = unsafe entry.pointee.ai_family
    let descriptor = socket(family, streamSocketType, 0)
    guard descriptor >= 0 else { continue }
    closeInChildren(descriptor)
    limitSending(descriptor, toSeconds: patienceInSeconds)
    limitReceiving(descriptor)
    let result = unsafe connect(
      descriptor, entry.pointee.ai_addr, entry.pointee.ai_addrlen)
    if result == 0 { return descriptor }
    closeDescriptors([descriptor])
  }
  return nil
}

private func limitReceiving(_ descriptor: Int32) {
  var patience = timeval(tv_sec: patienceInSeconds, tv_usec: 0)
  _ = unsafe setsockopt(
    descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
}
