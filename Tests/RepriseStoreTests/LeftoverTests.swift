import ChildProcesses
import Foundation
import Platform
import TestSupport
import Testing

@testable import Reprise
@testable import RepriseStore

/// Restores after attempts that have failed, were killed, or have changed the files of others.
@Suite(.enabled(if: FileTrace.problem == nil)) struct LeftoverTests {
  private let project: StoredProject

  init() throws { project = try StoredProject() }

  private static let perName = """
    mkdir -p out; rm -f out/*
    for n in $(cat a); do
      case $n in fail) exit 1 ;; wait) touch begun; exec sleep 60 ;; esac
      echo $n > out/$n
    done
    """

  @Test func `what a failed attempt has left is removed before an earlier result is restored`()
    async throws
  {
    try project.write("x", to: "a")
    #expect(try await project.run(Self.perName) == .ran)
    try project.write("z y fail", to: "a")
    #expect(try await project.run(Self.perName) == .failed)
    #expect(try project.contents("out").keys.sorted() == ["out", "out/y", "out/z"])
    try project.write("x", to: "a")
    #expect(try await project.run(Self.perName) == .restored([:]))
    #expect(try project.contents("out").keys.sorted() == ["out", "out/x"])
  }

  @Test(arguments: ["echo more > note", "rm note", "mv note moved", "mkdir d; mv note d"])
  func `after a failed attempt that has changed the file of another, the step runs`(
    _ change: String
  ) async throws {
    let script = "cat a > out; if grep -q fail a; then \(change); exit 1; fi"
    try project.write("x", to: "a")
    #expect(try await project.run(script) == .ran)
    try project.write("mine", to: "note")
    try project.write("fail", to: "a")
    #expect(try await project.run(script) == .failed)
    try project.write("x", to: "a")
    #expect(try await project.run(script) == .ran)
  }

  @Test func `a file that a successful attempt has moved is not removed later`() async throws {
    let script = "cat a > out; if grep -q move a; then mv note moved; fi"
    try project.write("x", to: "a")
    #expect(try await project.run(script) == .ran)
    try project.write("mine", to: "note")
    try project.write("move", to: "a")
    #expect(try await project.run(script) == .ran)
    try project.write("x", to: "a")
    _ = try await project.run(script)
    #expect(try project.text("moved") == "mine\n")
  }

  /// Each sequence of contents of `a` after a success with `x`, and whether a killed attempt is among them.
  @Test(arguments: [["y fail", "z fail"], ["y fail", "z"], ["y fail", "z fail", "q"]])
  func `what several attempts have left is removed before a restore`(
    _ contents: [String]
  ) async throws {
    // Unlike a step that cleans its folder.
    let script = Self.perName.replacing("rm -f out/*", with: ":")
    try project.write("x", to: "a")
    #expect(try await project.run(script) == .ran)
    for content in contents {
      try project.write(content, to: "a")
      _ = try await project.run(script)
    }
    try project.write("x", to: "a")
    #expect(try await project.run(script) == .restored([:]))
    #expect(try project.contents("out").keys.sorted() == ["out", "out/x"])
  }

  /// Lets an attempt succeed with `x`, and kills the next one after it has made a file.
  private func succeedAndKill() async throws {
    try project.write("x", to: "a")
    #expect(try await project.run(Self.perName) == .ran)
    try project.write("z wait", to: "a")
    let run = try project.start(Self.perName)
    await expectEventually("it has begun") {
      FileManager.default.fileExists(atPath: project.path + "/begun")
    }
    run.kill()
    #expect(try await run.outcome == .cancelled)
  }

  @Test func `after a killed attempt and a failed one, the step runs`() async throws {
    try await succeedAndKill()
    try project.write("fail", to: "a")
    #expect(try await project.run(Self.perName) == .failed)
    try project.write("x", to: "a")
    let end = try await project.run(Self.perName)
    #expect(try project.contents("out").keys.sorted() == ["out", "out/x"], "\(end)")
  }

  @Test func `after a killed attempt, the step runs`() async throws {
    try await succeedAndKill()
    try project.write("x", to: "a")
    let end = try await project.run(Self.perName)
    #expect(try project.contents("out").keys.sorted() == ["out", "out/x"], "\(end)")
  }
}
