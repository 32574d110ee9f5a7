// The maps of services.

import WorkflowReading
import YAML

extension ServiceRule.Probe? {
  fileprivate var script: String? {
    get { if case .run(let script)? = self { script } else { nil } }
    set { self = newValue.map(ServiceRule.Probe.run) }
  }
  fileprivate var port: Int? {
    get { if case .port(let port)? = self { port } else { nil } }
    set { self = newValue.map(ServiceRule.Probe.port) }
  }
  fileprivate var address: HTTPAddress? {
    get { if case .http(let address)? = self { address } else { nil } }
    set { self = newValue.map(ServiceRule.Probe.http) }
  }
  fileprivate var line: String? {
    get { if case .line(let line)? = self { line } else { nil } }
    set { self = newValue.map(ServiceRule.Probe.line) }
  }
  fileprivate var reports: Bool? {
    get { self == .report ? true : nil }
    set { if newValue == true { self = .report } }
  }
}

extension Tables {
  private static let port: Form<Int> = .whole(1...65_535).computed
  private static let probes = ["run", "port", "http", "line", "report"]

  static let ready = Table(
    "ready", ServiceRule(), example: "{ run: % } or { port: 5432 }", oneOf: probes,
    notBoth: probes, missing: .missingProbe,
    [
      Field("run", \.probe.script, .script, "a script that succeeds once the service is ready"),
      Field(
        "port", \.probe.port, port, "a port that accepts connections then"),
      Field(
        "http", \.probe.address, .address,
        "an address that is answered with a status from 200 to 399 then"),
      Field("line", \.probe.line, .settledText, "a text in a line of its output"),
      Field(
        "report", \.probe.reports, .boolean.computed,
        "whether it writes the line ready to $REPRISE_PROGRESS"
      ),
      Field("every", \.interval, .duration.computed, "the time between two checks"),
      Field("timeout", \.timeout, .duration.computed, "the time within which it must be ready"),
    ])

  private static let repeatedProbes = ["run", "port", "http"]

  static let alive = Table(
    "alive", ServiceRule.Liveness(), example: "{ run: % } or { port: 5432 }",
    oneOf: repeatedProbes, notBoth: repeatedProbes, missing: .missingProbeOfLife,
    [
      Field("run", \.probe.script, .script, "a script that succeeds while the service is alive"),
      Field(
        "port", \.probe.port, port, "a port that accepts connections"),
      Field(
        "http", \.probe.address, .address,
        "an address that is answered with a status from 200 to 399"),
      Field("every", \.interval, .duration.computed, "the time before each check"),
      Field("failures", \.failures, .count.computed, "the number of failures in a row"),
      Field("timeout", \.timeout, .duration.computed, "the time within which the script succeeds"),
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
