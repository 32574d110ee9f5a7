import Foundation
import Paths
import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

/// Which changed files are relevant.
struct WatchedFilesTests {
  private func files(_ text: String, sources: Set<String> = []) throws -> WatchedFiles {
    let workflow = try Workflow(text: text, file: "w.yaml")
    return try WatchedFiles(
      try #require(workflow.triggers?.files), of: workflow, sources: sources)
  }

  @Test func `outputs of a workflow do not start it again`() throws {
    let files = try files(
      """
      on: { files: ["**"] }
      dir: app
      steps:
        - { id: a, run: x, dir: lib, cache: { inputs: [src/**], makes: [build, "*.tmp"] } }
      """)
    #expect(files.wants("app/lib/src/a"))
    #expect(!files.wants("app/lib/build/x/y"))
    #expect(!files.wants("app/lib/a.tmp"))
    #expect(files.wants("build/x"))
    #expect(!files.enters("app/lib/build"))
  }

  @Test func `depfiles and the folders of steps are no patterns`() throws {
    let files = try files(
      """
      on: { files: ["**"] }
      steps:
        - { id: a, run: x, dir: "app/[id]", cache: { key: k, makes: "*.o", depfile: "{a}.d" } }
      """)
    #expect(!files.wants("app/[id]/x.o") && !files.wants("app/[id]/{a}.d"))
    #expect(files.wants("app/i/x.o") && files.wants("app/[id]/a.d"))
  }

  @Test func `sources elsewhere are listed by their folders`() throws {
    let files = try files(
      "on: { files: [src] }\nsteps: [{ id: a, run: x }]\n",
      sources: ["w.yaml", "/p/a.yaml", "/p/b.yaml", "/c.yaml"])
    #expect(files.sourcesElsewhere == ["/p": ["a.yaml", "b.yaml"], "/": ["c.yaml"]])
    #expect(files.steps(affectedBy: ["/p/b.yaml"]) == nil)
  }

  @Test func `temporary files of editors are ignored`() throws {
    let files = try files("on: { files: [src] }\nsteps: [{ id: a, run: x }]\n")
    for name in [".a.c.swp", "a.c~", "4913", "#a.c#", ".#a.c", ".DS_Store"] {
      #expect(!files.wants("src/deep/" + name), "\(name)")
    }
    #expect(files.wants("src/a.swift") && files.wants("src/#1.c"))
  }

  @Test func `a change of the workflow's own files always affects all steps`() throws {
    let files = try files(
      "on: { files: [src] }\nsteps: [{ id: a, run: x, cache: { inputs: [src] } }]\n",
      sources: ["w.yaml", "parts/p.yaml"])
    #expect(files.wants("w.yaml") && files.wants("parts/p.yaml"))
    #expect(files.enters("parts") && files.enters("src/deep") && !files.enters("other"))
    #expect(files.steps(affectedBy: ["src/a", "w.yaml"]) == nil)
    #expect(files.steps(affectedBy: ["src/a"]) == ["a"])
  }

  @Test func `a change affects the steps that read the file`() throws {
    let files = try files(
      """
      on: { files: ["**"] }
      steps:
        - { id: a, run: x, cache: { inputs: ["*.c"] } }
        - { id: b, run: x, dir: docs, cache: { inputs: ["**/*.md"] } }
        - { id: c, run: x }
        - { id: d, run: x, dir: ../up, cache: { inputs: ["*.c"] } }
      """)
    #expect(files.steps(affectedBy: ["x.c"]) == ["a"])
    #expect(files.steps(affectedBy: ["docs/x/y.md"]) == ["b"])
    #expect(files.steps(affectedBy: ["x.md"]) == [])
    #expect(files.steps(affectedBy: ["x.c", "docs/y.md"]) == ["a", "b"])
  }

  /// The patterns must match exactly the paths that a search of the folder finds.
  @Test func `patterns match a path exactly when a search finds it`() throws {
    var generator = SeededGenerator.announced()
    let names = ["a", "b", "ab", "a.c", ".x"]
    for _ in 0..<rounds(60, soak: 3000) {
      let folder = try TemporaryFolder()
      var paths: [String] = []
      for _ in 0..<12 {
        let depth = Int.random(in: 1...3, using: &generator)
        let path = (0..<depth).map { _ in names.randomElement(using: &generator) ?? "a" }
          .joined(separator: "/")
        let url = URL(fileURLWithPath: folder.path + "/" + path)
        try? FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        if (try? Data().write(to: url)) != nil, !paths.contains(path) { paths.append(path) }
      }
      let parts = ["a", "*", "**", "a*", "?", "*.c", "{a,b}", ".x"]
      let patterns = (0..<Int.random(in: 1...4, using: &generator)).map { number in
        let sign = number > 0 && Bool.random(using: &generator) ? "!" : ""
        return sign
          + (0..<Int.random(in: 1...3, using: &generator)).map { _ in
            parts.randomElement(using: &generator) ?? "a"
          }.joined(separator: "/")
      }
      let search = try FileSearch(patterns)
      let found = try search.files(in: folder.path)
      #expect(Set(found) == Set(paths.filter(search.names)), "\(patterns) \(paths)")
      for path in found {
        var parent = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        while !parent.isEmpty {
          #expect(search.mayName(below: String(parent)), "\(patterns) \(path)")
          parent = parent[..<(parent.lastIndex(of: "/") ?? parent.startIndex)]
        }
      }
    }
  }
}
