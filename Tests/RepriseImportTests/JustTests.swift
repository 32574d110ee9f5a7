import RepriseImport
import Testing

struct JustTests {
  private func just(_ text: String) throws -> ImportedWorkflow {
    try imported(text, from: .just, path: "justfile")
  }

  @Test(arguments: [
    ("v := `cat VERSION`\na:\n  echo '{{v}}' {{v}}\n", "OUTPUT_1=$(cat VERSION)\n"),
    ("v := `cat VERSION`\na:\n  echo {{v}}\n", "echo ${OUTPUT_1}"),
    ("a x='$HOME':\n  echo {{x}}\n", "run: echo $HOME"),
    ("a x='*':\n  echo {{x}}\n", "run: echo *"),
    ("x := \"a\\\"b\"\na:\n  echo '{{x}}'\n", "echo 'a\"b'"),
    ("set shell := [\"sh\", \"-ec\"]\na:\n  false; touch no\n", "(false; touch no)"),
    ("a x='p':\n  #!/bin/sh\n  echo '{{x}}'\n", "echo ''\"${x}\"''"),
    ("a x=`ls`:\n  echo {{x}}\n", "OUTPUT_1=$(ls)\n"),
    ("a: (b '1' '2')\nb x *y='3':\n  echo {{x}} {{y}}\n", "run: echo 1 2"),
    ("x := 'no'\na: (b '1')\nb x y=(x + '2'):\n  echo {{x}} {{y}}\n", "run: echo 1 12"),
    ("set positional-arguments\na x='1':\n  echo {{x}} $HOME\n", "echo ${x} $HOME"),
    ("x := '''\n  b\n    c\n'''\na:\n  printf '{{x}}'\n", "  c\n"),
    ("x := clean('' / '/b//c')\na:\n  echo {{x}}\n", "run: echo /b/c"),
    ("a:\n  echo 'x \\\n    y'\n", "run: echo 'x y'"),
    ("x := '#' # it's\nset shell := ['sh', '-c'] # c\na:\n  echo '{{x}}'\n", "run: echo '#'"),
    ("x := '''it's # x'''\na:\n  echo \"{{x}}\"\n", "echo \"it''s # x\"'"),
    ("[windows]\na:\n  echo w\n[linux]\na:\n  echo l\n", "run: echo l"),
  ])
  func `a recipe runs what just runs`(_ text: String, _ part: String) throws {
    let workflow = try just(text)
    #expect(workflow.text.contains(part), "\(workflow.text)")
    #expect(!workflow.text.contains("echo w"), "\(workflow.text)")
    #expect(workflow.verdict != .inPart, "\(workflow.remarks)")
  }

  @Test(arguments: [
    ("b := `x`\na:\n  ls\n", ImportRemark.Weight.note, "b: only recipes that use it compute it"),
    ("b := env('B')\na:\n  ls\n", .note, "b: only recipes that use it compute it"),
    ("b := sha256('')\na:\n  ls\n", .note, "b: only recipes that use it fail: the function sha256"),
    ("b := error('')\na:\n  ls\n", .missing, "b: the function error"),
    ("b := f'{{x}}'\na:\n  ls {{b}}\n", .missing, "a: a text that begins with f'"),
  ])
  func `what just does besides is remarked`(
    _ text: String, _ weight: ImportRemark.Weight, _ remark: String
  ) throws {
    let workflow = try just(text)
    #expect(workflow.remarks.contains { $0.weight == weight && $0.text == remark })
    #expect(workflow.text.contains("not imported: line ") == (weight == .missing))
  }

  @Test func `an attribute of an alias is not that of the next recipe`() throws {
    let workflow = try just("a:\n  ls\n[private]\nalias c := b\n\nb:\n  ls\n")
    #expect(workflow.text.contains("workflows:\n  b:\n    aliases: [c]\n"), "\(workflow.text)")
    #expect(workflow.verdict == .full)
  }

  @Test func `a recipe that comes after runs again`() throws {
    let workflow = try just("all: a && b\n  echo all\na: b\n  echo a\nb:\n  echo b\n")
    let steps = workflow.text.split(separator: "\nworkflows:")[0]
    #expect(steps.ranges(of: "run: echo b").count == 2, "\(workflow.text)")
  }

  @Test(arguments: [
    "x := \"\\u{41}\"\na:\n  rm {{x}}\n", "a x='p':\n  #!/usr/bin/env python3\n  rm('{{x}}')\n",
    "set positional-arguments\na x='p':\n  rm $1\n", "a: (b '1' '2')\nb x:\n  rm {{x}}\n",
    "a: (b)\nb +x:\n  rm {{x}}\n", "v := `ls`\na:\n  #!/bin/sh\n  rm {{v}}\n",
  ])
  func `a value that is not known lets the recipe fail`(_ text: String) throws {
    let workflow = try just(text)
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
    #expect(workflow.text.contains("not imported: line "), "\(workflow.text)")
  }
}
