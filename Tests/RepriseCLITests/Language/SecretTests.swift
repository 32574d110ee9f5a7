import Foundation
import TestSupport
import Testing

/// Secrets appear neither in output nor in stored files.
struct SecretTests {
  @Test func `secrets do not appear in the display, the events, the logs or the database`()
    async throws
  {
    var generator = SeededGenerator.announced()
    let scenario = try Scenario()
    let letters = Array(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=_-'\"$&<>é")
    var secrets: [String] = []
    for number in 0..<rounds(40, soak: 400) {
      func line() -> String {
        String(
          (0..<Int.random(in: 8...60, using: &generator)).map { _ in
            letters.randomElement(using: &generator) ?? "x"
          })
      }
      let lines = (0..<(number % 3 == 0 ? 4 : 1)).map { _ in line() }
      secrets.append(lines.joined(separator: "\n"))
      try scenario.write(secrets[number] + "\n", to: "secrets/s\(number)")
    }
    let declared = secrets.indices.map { "  s\($0): { file: secrets/s\($0) }" }
    let bound = secrets.indices.map { "      S\($0): \"${{ secrets.s\($0) }}\"" }
    try scenario.write(
      """
      secrets:
      \(declared.joined(separator: "\n"))
      steps:
        - id: loud
          env:
      \(bound.joined(separator: "\n"))
          run: |
            for f in secrets/*; do
              cat $f; cat $f >&2; base64 $f; base64 -w 0 $f; echo; printf 'user:%s' "$(cat $f)" | base64 -w 0; echo
              od -An -tx1 -v $f | tr -d ' \\n'; echo
              dd if=$f bs=5 status=none; printf 'no end '; dd if=$f bs=1 status=none count=20; echo
              printf 'o<<==\\n%s\\n==\\n' "$(cat $f)" >> $REPRISE_OUTPUT
            done
            echo "progress 0.5 $S0" > $REPRISE_PROGRESS
            printf 'x=%s\\n' "$S1" >> $REPRISE_OUTPUT
          outputs: { all: "${{ stdout }}" }
        - id: after
          exec: [echo, "${{ steps.loud.outputs.x }} ${{ steps.loud.outputs.all }}"]
        - { id: bad, dir: "${{ steps.loud.outputs.x }}", run: "true", continue-on-error: true }
      """, to: "w.yaml")
    let plain = try await scenario.reprise("run", "w.yaml", "--progress", "plain").succeeds()
    let json = try await scenario.reprise("run", "w.yaml", "--progress", "json").succeeds()
    let shown = try await scenario.reprise("show", "@last").succeeds()
    #expect(plain.output.contains("***"))
    var places: [(String, Data)] = [
      ("plain", Data((plain.output + plain.errors).utf8)),
      ("json", Data((json.output + json.errors).utf8)), ("show", Data(shown.output.utf8)),
    ]
    let state = scenario.folder.path + "/.reprise"
    for path in try FileManager.default.subpathsOfDirectory(atPath: state) {
      guard let data = FileManager.default.contents(atPath: state + "/" + path) else { continue }
      places.append((path, data))
    }
    #expect(places.count > 6)
    for secret in secrets {
      for line in secret.split(separator: "\n") where line.utf8.count >= 4 {
        let encoded = Data(line.utf8).base64EncodedString().dropLast(4)
        for (place, data) in places {
          #expect(data.range(of: Data(line.utf8)) == nil, "\(line) in \(place)")
          #expect(data.range(of: Data(encoded.utf8)) == nil, "base64 of \(line) in \(place)")
        }
      }
    }
  }

  @Test
  func `a secret comes from the environment, a file or a program, only where it is bound`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write("from a file\n", to: "key")
    try scenario.write(
      """
      secrets:
        a: { env: SECRET_A }
        b: { file: key }
        c: { command: [printf, 'from a program\\n'] }
      steps:
        - id: with
          env: { A: "${{ secrets.a }}", B: "${{ secrets.b }}", C: "${{ secrets.c }}" }
          run: |
            [ "$A" = "from outside" ] && [ "$B" = "from a file" ] && [ "$C" = "from a program" ]
            [ -z "$SECRET_A" ]
        - { id: without, run: '[ -z "$SECRET_A$A" ]' }
      """, to: "w.yaml")
    try await scenario.reprise(
      "run", "w.yaml", "--progress", "none", environment: ["SECRET_A": "from outside"]
    ).succeeds()
    let missing = try await scenario.reprise("run", "w.yaml").fails(with: 2)
    #expect(missing.errors.contains("there is no environment variable SECRET_A"))
    let short = try await scenario.reprise("run", "w.yaml", environment: ["SECRET_A": "abc"])
      .fails(with: 2)
    #expect(short.errors.contains("has fewer than 4 characters"))
  }

  @Test(arguments: [
    ("exec: [echo, \"${{ secrets.a }}\"]", "\"secrets\" cannot be used in exec or dir"),
    ("run: x, if: \"secrets.a == 'x'\"", "\"secrets\" cannot be used in if"),
    ("run: x, env: { A: \"${{ secrets.b }}\" }", "there is no secret \"b\""),
    ("run: x, outputs: { o: \"${{ secrets.a }}\" }", "\"secrets\" cannot be used in outputs"),
    ("exec: [echo, \"${{ env.E }}\"]", "\"env.E\" contains a secret"),
    ("uses: ./used.yaml, with: { p: \"x${{ secrets.a }}\" }", "\"params.p\" contains a secret"),
  ]) func `a secret cannot be used where it would be visible`(_ step: String, _ says: String)
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      "secrets: { a: { env: A } }\nenv: { E: \"${{ secrets.a }}\" }\nsteps: [{ id: s, \(step) }]\n",
      to: "w.yaml")
    try scenario.write(
      "params: { p: {} }\nsteps: [{ id: u, exec: [echo, \"${{ params.p }}\"] }]\n", to: "used.yaml")
    let ended = try await scenario.reprise("validate", "w.yaml").fails(with: 2)
    #expect(ended.errors.contains(says), "\(ended.errors)")
  }
}
