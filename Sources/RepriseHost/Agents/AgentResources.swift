// What agents can read: the language reference, the pages of errors, workflow files, and runs.

import Reprise
import RepriseJournal
import RepriseTerminal

/// A resource that a client can read.
enum AgentResource: Equatable {
  case reference
  case error(code: String)
  case workflow(name: String)
  case run(String)

  private static let scheme = "reprise://"

  /// Reads an address; nil if there is nothing at such an address.
  init?(uri: String) {
    guard uri.hasPrefix(Self.scheme) else { return nil }
    let parts = uri.dropFirst(Self.scheme.count).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let rest = parts.count > 1 ? Self.decoded(parts[1]) : nil
    switch (parts.first, rest) {
    case ("reference", nil): self = .reference
    case ("errors", let code?): self = .error(code: code)
    case ("workflows", let name?): self = .workflow(name: name)
    case ("runs", let run?): self = .run(run)
    default: return nil
    }
  }

  /// The address.
  var uri: String {
    switch self {
    case .reference: Self.scheme + "reference"
    case .error(let code): Self.scheme + "errors/" + Self.encoded(code)
    case .workflow(let name): Self.scheme + "workflows/" + Self.encoded(name)
    case .run(let run): Self.scheme + "runs/" + Self.encoded(run)
    }
  }

  /// The type of its text.
  var mimeType: String {
    switch self {
    case .reference: "text/markdown"
    case .error: "text/plain"
    case .workflow: "application/yaml"
    case .run: "application/json"
    }
  }

  /// The entry in a list of resources.
  func entry(_ name: String, _ description: String) -> Value {
    .map([
      "uri": .text(uri), "name": .text(name), "description": .text(description),
      "mimeType": .text(mimeType),
    ])
  }

  /// The addresses with a part that varies, as `resources/templates/list` has them.
  static var templates: [Value] {
    func template(_ path: String, _ description: String, _ example: AgentResource) -> Value {
      .map([
        "uriTemplate": .text(scheme + path), "name": .text(path),
        "description": .text(description), "mimeType": .text(example.mimeType),
      ])
    }
    return [
      template("errors/{code}", "What an error code of validate means", .error(code: "")),
      template("workflows/{name}", "The file of a workflow", .workflow(name: "")),
      template("runs/{id}", "A run, as reprise show --json prints it", .run("")),
    ]
  }

  // MARK: Percent-encoding (RFC 3986)

  private static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { result, byte in
      let letter = Character(UnicodeScalar(byte))
      if letter.isASCII, letter.isLetter || letter.isNumber || "-._~@".contains(letter) {
        result.append(letter)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
  }

  /// Returns the text of an encoded part; nil if it is not encoded correctly, or empty.
  private static func decoded(_ part: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = part.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, let decoded = UInt8(digits, radix: 16) else { return nil }
      bytes.append(decoded)
      rest.removeFirst(2)
    }
    return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
  }
}

extension AgentTools {
  /// The number of runs in the list of resources: the newest.
  private static let runsMax = 20

  /// The entries of `resources/list`.
  func resources() async throws -> [Value] {
    let journal = try await project.journal()
    return try await blocking { [project] in
      var list = [
        AgentResource.reference.entry("reference", "The language of workflow files: all keys")
      ]
      list += project.workflowPaths.map { path in
        AgentResource.workflow(name: AgentProject.name(of: path)).entry(path, "A workflow file")
      }
      list += try (journal?.runs(limit: Self.runsMax) ?? []).map { run in
        AgentResource.run(run.id.description).entry(
          "run \(run.id)", "\(run.workflow): \(run.status.rawValue)")
      }
      return list
    }
  }

  /// Returns the result of `resources/read`.
  ///
  /// - Throws: ``AgentFailure`` if there is nothing at the address.
  func contents(of uri: String) async throws -> Value {
    guard let resource = AgentResource(uri: uri) else {
      throw AgentFailure(.unknownResource, "there is no resource \"\(abridged(uri))\"")
    }
    let text: String
    do {
      text = try await self.text(of: resource)
    } catch let problem as Problem {
      throw AgentFailure(.unknownResource, problem.text.string.withoutErrorPrefix)
    }
    return .map([
      "contents": .list([
        .map(["uri": .text(uri), "mimeType": .text(resource.mimeType), "text": .text(text)])
      ])
    ])
  }

  private func text(of resource: AgentResource) async throws -> String {
    switch resource {
    case .reference: return ReferenceText.markdown
    case .error(let code): return try ErrorPage.found(code).text
    case .workflow(let name):
      return try await blocking { [project] in
        let path = try project.path(ofWorkflow: name)
        return String(decoding: try LoadedWorkflow.parse(path).bytes, as: UTF8.self)
      }
    case .run(let name):
      let (record, journal) = try await project.find(name)
      return try await blocking { try Self.read(record.id, in: journal).report.json.string }
    }
  }
}
