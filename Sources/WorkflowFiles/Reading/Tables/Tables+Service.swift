// The maps of services.

import WorkflowReading
import YAML

extension ServiceRule {
  fileprivate var script: String? {
    get { if case .run(let script)? = probe { script } else { nil } }
    set { probe = newValue.map(Probe.run) }
  }
  fileprivate var port: Int? {
    get { if case .port(let port)? = probe { port } else { nil } }
    set { probe = newValue.map(Probe.port) }
  }
  fileprivate var address: HTTPAddress? {
    get { if case .http(let address)? = probe { address } else { nil } }
    set { probe = newValue.map(Probe.http) }
  }
  fileprivate var line: String? {
    get { if case .line(let line)? = probe { line } else { nil } }
    set { probe = newValue.map(Probe.line) }
  }
  fileprivate var reports: Bool? {
    get { probe == .report ? true : nil }
    set { if newValue == true { probe = .report } }
  }
}

extension Tables {
  private static let probes = ["run", "port", "http", "line", "report"]

  static let ready = Table(
    "ready", ServiceRule(), example: "{ run: % } or { port: 5432 }", oneOf: probes,
    notBoth: probes, missing: .missingProbe,
    [
      Field("run", \.script, .script, "a script that succeeds once the service is ready"),
      Field(
        "port", \.port, .whole(1...65_535).computed, "a port that accepts connections then"),
      Field(
        "http", \.address, .address,
        "an address that is answered with a status from 200 to 399 then"),
      Field("line", \.line, .settledText, "a text in a line of its output"),
      Field(
        "report", \.reports, .boolean.computed,
        "whether it writes the line ready to $REPRISE_PROGRESS"
      ),
      Field("every", \.interval, .duration.computed, "the time between two checks"),
      Field("timeout", \.timeout, .duration.computed, "the time within which it must be ready"),
    ])
}

extension Form where Content == HTTPAddress {
  fileprivate static let address = Form(
    .template,
    read: { node, site, reader in
      guard let text = reader.text(node, site.what, site.context) else { return nil }
      if let address = HTTPAddress(text) { return address }
      reader.readers[site.context.file].report(.notAnAddress(text), at: node)
      return nil
    }, write: { .text("http://\($0.host):\($0.port)\($0.path)") })
}

extension Form where Content == Int32 {
  /// The signal that stops a service.
  static let signal = Form(
    .choice(ServiceRule.signals.map(\.name)),
    read: { node, site, reader in
      var node = node
      if case .scalar(let text, let isPlain) = node.content, text.hasPrefix("SIG") {
        node.content = .scalar(String(text.dropFirst(3)), isPlain: isPlain)
      }
      let names = ServiceRule.signals.map(\.name)
      let name = reader.readers[site.context.file].choice(node, site.what, of: names)
      return ServiceRule.signals.first { $0.name == name }?.number
    },
    write: { number in
      ServiceRule.signals.first { $0.number == number }.map { .text($0.name) }
    })
}
