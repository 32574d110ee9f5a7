// The files of the page, which the build has put into the executable.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The files of the page: markup, style, modules and an icon.
enum PageFiles {
  private struct File: Sendable {
    let type: String
    let text: [UInt8]
    let gzip: [UInt8]
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
  ]

  private static let files: [String: File] = Dictionary(
    uniqueKeysWithValues: PageText.files.compactMap { name, text, gzip in
      let ending = name.split(separator: ".").last.map(String.init) ?? ""
      guard let type = types[ending], let data = Data(base64Encoded: gzip) else { return nil }
      return (name, File(type: type, text: Array(text.utf8), gzip: Array(data)))
    })

  /// Returns the text of a file; nil if there is none.
  static func text(of name: String) -> String? {
    PageText.files.first { $0.name == name }?.text
  }

  /// The names of all files, sorted.
  static var names: [String] { PageText.files.map(\.name).sorted() }

  /// Returns a file of the page.
  ///
  /// - Parameters:
  ///   - path: Its path; the markup if it is empty.
  ///   - head: The head of the request.
  /// - Returns: The answer with the file.
  /// - Throws: ``Refusal`` if there is no such file.
  static func answer(_ path: [String], _ head: RequestHead) throws(Refusal) -> WebAnswer {
    let name = path.isEmpty ? "index.html" : path.joined(separator: "/")
    guard let file = files[name] else { throw Refusal(404, "there is no such file") }
    let isCompressed = head.acceptsGzip
    var fields = [
      (name: "Content-Type", value: file.type), (name: "Vary", value: "Accept-Encoding"),
    ]
    if isCompressed { fields.append((name: "Content-Encoding", value: "gzip")) }
    return WebAnswer(fields: fields, body: .bytes(isCompressed ? file.gzip : file.text))
  }
}
