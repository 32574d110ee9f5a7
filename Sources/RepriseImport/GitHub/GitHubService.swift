// Services of jobs of GitHub Actions: containers that run while the steps of a job need them.

import YAML

/// A container that runs beside the steps of a job.
struct GitHubService {
  let name: String
  let id: String
  private let node: SourceNode

  init(name: String, id: String, _ node: SourceNode) {
    self.name = name
    self.id = id
    self.node = node
  }

  /// The ports, each as `HOST:CONTAINER`.
  private var ports: [(host: String, container: String)] {
    (node["ports"]?.texts ?? []).map { text in
      let parts = text.split(separator: ":").map(String.init)
      let container = String((parts.last ?? "").prefix { $0.isNumber })
      // A port without a port of the host gets any there, and its own here.
      return (parts.count > 1 ? parts[parts.count - 2] : container, container)
    }
  }

  /// Returns the port of the host for a port of the container.
  func port(_ container: String) -> String? {
    ports.first { $0.container == container }?.host
  }

  /// Returns the step of the service.
  ///
  /// - Parameters:
  ///   - needs: The steps before it.
  ///   - condition: When it runs; nil if it always does.
  ///   - names: The names that its variables can use.
  ///   - others: The names of the other services, which are in one network with it there.
  /// - Returns: The step.
  /// - Throws: ``Untranslatable`` if the image or a variable has no equivalent.
  func step(
    needs: [String], condition: String?, names: GitHubNames, besides others: [String]
  ) throws(Untranslatable) -> Draft.Item {
    guard let image = node["image"]?.text ?? node.text, !image.isEmpty else {
      throw Untranslatable("it has no image")
    }
    var items = [Draft.Item("id", .text(id)), Draft.Item("needs", .texts(needs))]
    if let condition { items.append(Draft.Item("if", .text(condition))) }
    var environment = try GitHubEnvironment(file: names.file, names: names).items(node["env"])
    let passed = environment.map { "-e \($0.key)" }
    var own = names
    own.allowsSecrets = true
    let volumes = (node["volumes"]?.texts ?? []).map { "-v \"\($0)\"" }.joined(separator: " ")
    if node["credentials"]?.accept() != nil {
      names.file.remark(.note, "service \(name): log in to its registry once", at: node)
    }
    let options = (node["options"]?.text ?? "").onOneLine
    if let port = node["ports"]?.texts.first(where: { $0.contains("/") }) {
      throw Untranslatable("the port \(port) has a protocol", at: node["ports"])
    }
    let values = (node["env"]?.pairs ?? []).map { $0.value.text ?? "" } + [options]
    if let other = others.first(where: { other in
      values.contains { value in
        ["\(other):", "//\(other)", "@\(other)"].contains(where: value.contains)
      }
    }) {
      throw Untranslatable(
        "it reaches the service \(other) by its name, which is in no network here")
    }
    if let part = node.unread().first {
      throw Untranslatable("\(part.path) has no equivalent", at: part.node)
    }
    let script = try GitHubScript(
      ([
        "exec docker run --rm --name \"$REPRISE_RUN_ID-\(id)\"",
        ports.map { "-p \($0.host):\($0.container)" }.joined(separator: " "),
        passed.joined(separator: " "), volumes, options, "\"\(image)\"",
      ].filter { !$0.isEmpty }).joined(separator: " "), GitHubShell("bash"),
      ExpressionTranslator(names: own),
      taken: Set(environment.map(\.key)))
    environment += script.bindings.map { Draft.Item($0.name, .text($0.value)) }
    if !environment.isEmpty { items.append(Draft.Item("env", .map(environment))) }
    items.append(Draft.Item("service", .text(script.text)))
    if let ready { items.append(Draft.Item("ready", .map(ready))) }
    return Draft.Item("", .map(items))
  }

  /// When the steps can start: GitHub waits for the health check of the container.
  private var ready: [Draft.Item]? {
    let timeout = Draft.Item("timeout", .text("5m"))
    if node["options"]?.text?.contains("--health-cmd") == true {
      let test =
        "test \"$(docker inspect -f '{{.State.Health.Status}}' \"$REPRISE_RUN_ID-\(id)\")\" = healthy"
      return [Draft.Item("run", .text(test)), timeout]
    }
    guard let port = ports.first?.host, Int(port) != nil else { return nil }
    return [Draft.Item("port", .word(port)), timeout]
  }
}
