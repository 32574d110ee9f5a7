// The keys of services, and those of other tools that mean them.

extension KeyTable {
  /// The keys of a step that only services have.
  static let serviceKeys = ["ready", "stop", "restart"]

  static let readiness = KeyTable(
    place: "ready", example: "{ run: % } or { port: 5432 }", oneOf: readinessKinds,
    notBoth: readinessKinds,
    keys: [
      Key("run", .script, "a script that succeeds once the service is ready"),
      Key("port", .computed(.whole(1...65_535)), "a port that accepts connections then"),
      Key("http", .template, "an address that is answered with a status from 200 to 399 then"),
      Key("line", .template, "a text in a line of its output"),
      Key("report", .boolean, "whether it writes the line ready to $REPRISE_PROGRESS"),
      Key("every", .computed(.duration), "the time between two checks"),
      Key("timeout", .computed(.duration), "the time within which it must be ready"),
    ])

  private static let readinessKinds = ["run", "port", "http", "line", "report"]

  /// The keys of other tools, with the corresponding key of a service or its readiness.
  static let serviceSynonyms = [
    "daemon": "service", "sidecar": "service", "healthcheck": "ready", "readiness_probe": "ready",
    "readinessProbe": "ready", "readyWhen": "ready", "stop_signal": "stop", "http_get": "http",
    "httpGet": "http", "tcpSocket": "port", "test": "run", "log_line": "line",
    "ready_log_line": "line", "interactive": "terminal", "tty": "terminal", "stdin": "terminal",
    "priority_weight": "priority", "weight_rule": "order",
  ]
}
