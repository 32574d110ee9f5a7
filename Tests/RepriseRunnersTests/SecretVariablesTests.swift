import Foundation
import TestSupport
import Testing

@testable import Reprise
@testable import RepriseRunners

/// Variables with secrets, which a program that runs containers must not see.
struct SecretVariablesTests {
  private static let secret = "it's a\n\"long\" $secret"

  private static func spec() -> AttemptSpec {
    var spec = AttemptSpec(command: ["/bin/sh", "-c", "printf %s \"$TOKEN$PLAIN\""])
    spec.environment = [
      "PLAIN": "plain", "TOKEN": secret, "CODED": Data(secret.utf8).base64EncodedString(),
    ]
    spec.secrets = [secret]
    return spec
  }

  @Test func `variables with a secret are found, also with an encoded one`() {
    #expect(SecretVariables.names(in: Self.spec()) == ["CODED", "TOKEN"])
  }

  @Test func `they are in a file that the shell of the step reads and removes`() async throws {
    let folder = try TemporaryFolder()
    var spec = Self.spec()
    spec.variablesInFile = SecretVariables.names(in: spec)
    try SecretVariables.move(from: &spec, to: folder.path)
    #expect(spec.environment == ["PLAIN": "plain"])
    let words = SecretVariables.reading(spec.command, in: folder.path)
    #expect(!words.contains { $0.contains("secret") })
    let answer = try await answer(of: words, in: spec.environment)
    #expect(answer.output == Self.secret + "plain\n" && answer.status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }
}
