import RepriseImport
import Testing

struct MakeTests {
  private func make(_ text: String, files: [String: String] = [:]) throws -> ImportedWorkflow {
    try imported(text, from: .make, path: "Makefile", files: files)
  }

  private func expect(_ workflow: ImportedWorkflow, contains parts: [String]) {
    for part in parts { #expect(workflow.text.contains(part), "\(part)\n\(workflow.text)") }
  }

  @Test(arguments: [
    ("CC ?= gcc\na:\n\t$(CC) x\n", "${CC-cc} x"),
    ("CC += -m32\na:\n\t$(CC) x\n", "CC: cc -m32"),
    ("SHELL ?= /bin/tcsh\na:\n\techo x\n", "run: echo x"),
    ("F = -y\nF += -x\na:\n\techo $(F)\n", "F: \"-y -x\""),
  ])
  func `make has values of its own for variables`(_ text: String, _ part: String) throws {
    let workflow = try make(text)
    expect(workflow, contains: [part])
    #expect(workflow.verdict != .inPart, "\(workflow.remarks)")
  }

  @Test func `a value of the environment that is added to is remarked`() throws {
    let workflow = try make("F += -x\nMAKEFLAGS += -s\na:\n\techo $(F)\n")
    #expect(
      workflow.remarks.map(\.text) == ["F: its value in the environment does not count everywhere"]
    )
    #expect(workflow.remarks.map(\.line) == [1])
  }

  @Test func `only the default goal of a makefile runs by default`() throws {
    let workflow = try make(
      """
      CC = gcc  # the compiler
      OBJECTS = main.o \\
        util.o
      .PHONY: all clean install
      all: app
      app: $(OBJECTS) | build ## Link it
      \t$(CC) -o $@ $^
      %.o: %.c
      \t$(CC) -c $<
      build:
      \tmkdir -p build
      clean:
      \t-rm app
      \t@cd build && rm *.o
      install: all
      \techo $$HOME $(shell pwd)
      """, files: ["main.c": "", "util.c": ""])
    let parts = workflow.text.split(separator: "\nworkflows:")
    try #require(parts.count == 2)
    #expect(parts[0].contains("uses: \"#all\""), "\(workflow.text)")
    for name in ["rm app", "build && rm", "echo"] { #expect(!parts[0].contains(name)) }
    expect(
      workflow,
      contains: [
        "max-parallel: 1", "${CC} -o app main.o util.o", "${CC} -c main.c",
        "[ ! -e main.o ] || [ main.c -nt main.o ]", "needs: [main-o, util-o, build]",
        "rm app || true", "(cd build && rm *.o)", "echo $HOME ${CURDIR}", "CC: ${{ params.CC }}",
        "needs: [all]", "description: Link it",
      ])
    #expect(workflow.verdict == .full, "\(workflow.remarks)")
  }

  @Test(arguments: [
    ("OUT = out\nclean:\n\trm -rf $(OUT:%=%/build)/*\n", "rm -rf out/build/*"),
    ("SRCS = a.c b.c\nOBJS := $(SRCS:.c=.o)\napp: $(OBJS)\n\tcc $^\n%.o:\n\tx\n", "cc a.o b.o"),
    ("app: $(wildcard *.c)\n\tcc -o $@ $^\n", "cc -o app a.c b.c"),
    ("app: CFLAGS=-O2\napp:\n\tcc $(CFLAGS)\n", "run: cc -O2"),
    ("a:\n\techo \"$(shell ls)\"\n", "| paste -s -d ' ' -)"),
    ("a:\n\techo '$(HOME)'\n", "echo ''\"${HOME}\"''"),
    ("ifeq ($(shell uname),Linux)\nX = 1\nelse\nX = 2\nendif\na:\n\techo $(X)\n", "echo ${X}"),
    ("SHELL := /bin/bash\na:\n\t[[ a ]]\n", "shell: [/bin/bash, -e, -c]"),
    ("a: ; mkdir -p a\n", "run: \"[ ! -e a ]\""),
    ("SHELL = /usr/bin/env bash -o pipefail\na:\n\tls\n", "[/usr/bin/env, bash, -o, pipefail, -e"),
    ("%.x: F = 1\na.x:\n\techo $(F)\n", "run: echo 1"), ("all: ;\n32bit:\n\tls\n", "target-32bit:"),
    (
      "U := $(shell sh -c 'uname -s 2>/dev/null || echo not')\nifeq ($(U),Linux)\nX = 7\nelse\n"
        + "X = 8\nendif\nA = $(X)\na:\n\techo $(A)\n", "X: \"7\""
    ),
  ])
  func `what make computes is computed`(_ text: String, _ part: String) throws {
    let workflow = try make(text, files: ["a.c": "", "b.c": ""])
    expect(workflow, contains: [part])
    #expect(workflow.verdict != .inPart, "\(workflow.remarks)")
  }

  @Test(arguments: [
    "clean:\n\trm -rf $(shell ls $(OUT))/*\n", "a: $(OUT)\n\trm -rf x\n",
    "a:\n\trm -rf x $(A%B) $(x.y)\n",
    "ifeq ($(shell id),x)\nA = 1\nendif\na:\n\trm -rf $(A)\n",
    "A = 1\nifeq ($(shell id),x)\nA = 'b c'\nendif\na:\n\trm -rf $(A)\n",
    "A = 1\nifeq ($(shell id),x)\nelse ifeq (1,1)\nA = 2\nendif\na:\n\trm -rf $(A)\n",
    "A = @\nifeq ($(shell id),x)\nA = -\nendif\na:\n\t$(A)rm -rf b\n",
    "SHELL = python3\na:\n\trm -rf x\n", "a:\n\trm -rf x &\n", "A = $(eval x)\na:\n\trm -rf $(A)\n",
  ])
  func `a command that cannot be translated fails and nothing runs in its place`(
    _ text: String
  ) throws {
    let workflow = try make(text)
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
    #expect(workflow.text.contains("not imported: line "), "\(workflow.text)")
    #expect(workflow.text.contains("exit 1"))
    for line in workflow.text.split(separator: "\n")
    where !line.contains("#") && !line.contains("echo") {
      #expect(!line.contains("rm -rf"), "\(line)")
    }
  }

  @Test(arguments: [
    ("A = x # note\na:\n\tprintf '[$(A)]'\n", "A: \"x \""),
    ("a: ; printf 'c#d'\n", "printf 'c#d'"),
    ("a:: ; echo 1\na:: ; echo 2\n", "echo 1\n      echo 2"),
    ("a:\n\techo 1\na:\n\techo 2\n", "run: echo 2"),
    ("a:\n\techo [$(realpath none)]\n", "echo []"),
    (".SHELLFLAGS = -ec\na:\n\tfalse; touch no\n", "(false; touch no)"),
    ("A = 1\nundefine A\nA ?= 2\na:\n\techo $(A)\n", "echo ${A-2}"),
    (".DEFAULT:\n\techo any $@\na: other\n\tls\n", "echo any other"),
    ("a:\n\techo $(notdir $(CURDIR))\n", "echo $(basename \"${CURDIR}\")"),
    ("a:\n\techo before\n\t$(error no)\n", "echo '*** no.  Stop.' >&2"),
    ("a:\n\t@$(eval T := $(shell mktemp))\n\techo \"$(T)\"\n", "echo \"${T}\""),
    (
      "D := $(shell dirname $(abspath $(lastword $(MAKEFILE_LIST))))\na:\n\tls $(D)\n",
      "ls ${CURDIR}"
    ),
    ("include s/b.mk\na:\n\tls $(lastword $(MAKEFILE_LIST))\n", "ls s/b.mk"),
    ("a: A = 1;2\na:\n\techo '$(A)'\n", "echo '1;2'"),
    ("a:\n\techo '$(CURDIR)/x'\n", "echo ''\"${CURDIR}\"'/x'"),
    ("$(eval A = 1)\na:\n\techo $(A)\n", "A: \"1\""),
    ("$(foreach n,b c,$(eval $(n): ; echo $(n)))\nall: c\n", "run: echo c"),
    (
      "A = 1\nifneq ($(shell id -u),0)\nA += 2\nendif\na:\n\techo $(A)\n",
      "echo $(if [ \"$({ id -u; } | paste -s -d ' ' -)\" != \"0\" ]; then printf '%s\\n' \"1 2\"; "
        + "else printf '%s\\n' \"1\"; fi)"
    ),
    ("a:\nifeq ($(shell id -u),0)\n\techo b\nelse\n\techo c\nendif\n", "[ -z \"$HOLDS_1\" ]"),
    ("ifeq ($(shell id -u),0)\n$(error no)\nendif\na:\n\techo b\n", "echo '*** no.  Stop.' >&2"),
    ("ifeq ($(shell go env GOOS),linux)\nA = 7\nendif\na:\n\techo $(A)\n", "A: \"7\""),
    ("A := $(shell find s -name '*.mk')\na: $(A)\n\techo $^\n", "echo s/b.mk"),
    ("ifdef CC\nA = 1\nelse\nA = 2\nendif\na:\n\techo $(A)\n", "A: \"1\""),
  ])
  func `what make says in a rare way is said here, too`(_ text: String, _ part: String) throws {
    let workflow = try make(text, files: ["s/b.mk": "B = 1\n"])
    expect(workflow, contains: [part])
    #expect(!workflow.text.contains("echo before"), "\(workflow.text)")
    #expect(workflow.verdict != .inPart, "\(workflow.remarks)")
  }

  @Test(arguments: [
    "a:\n\t$(eval A := 1)\n\trm -rf $(A)\n",
    "A = 1\na:\n\t$(eval A := $(shell ls))\n\trm -rf $(A)\n",
    "a: b.o\n\trm -rf $<\n%.o: %.c\n\tcc $<\n",
    "a: $(notdir $(CURDIR))\n\trm -rf x\n", "a:\n\trm -rf $(subst /,-,$(CURDIR))\n",
    "a:\n\trm -rf $(realpath ../x)\n", "a:: x\n\trm -rf a\na:: y\n\trm -rf b\nx y: ; ls\n",
    "VPATH = src\na:\n\trm -rf b\n", "$(eval $(shell ls))\na:\n\trm -rf b\n",
    "ifeq ($(shell id),x)\n.DEFAULT_GOAL = b\nendif\na:\n\trm -rf b\n",
    ".IGNORE:\na:\n\trm -rf b\n", "include none.mk\na:\n\trm -rf b\n",
    "ifdef PATH\nA = 1\nendif\na:\n\trm -rf $(A)\n",
    "ifeq ($(shell id),x)\nexport A = 1\nendif\na:\n\trm -rf b\n",
    "A = 1\nundefine A\na:\n\trm -rf $(A)\n",
  ])
  func `what could change a target lets it fail`(_ text: String) throws {
    let workflow = try make(text)
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
    for line in workflow.text.split(separator: "\n")
    where !line.contains("#") && !line.contains("echo") {
      #expect(!line.contains("rm -rf"), "\(line)")
    }
  }

  @Test func `a variable that is not defined is a parameter of the targets that use it`() throws {
    let workflow = try make("all: ; ls\nclean: ; rm -rf $(OUT)/*\nb: ; ls $(OUT)\n")
    let parts = workflow.text.split(separator: "description: make takes it from the")
    #expect(parts.count == 3, "\(workflow.text)")
    expect(workflow, contains: ["rm -rf ${OUT}/*", "OUT: ${{ params.OUT }}"])
    #expect(!workflow.text.contains("default: "), "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    #expect(workflow.remarks.map(\.line) == [2], "\(workflow.remarks)")
  }

  @Test func `a value in a command whose output is used is no parameter`() throws {
    let workflow = try make("A = x\na:\n\trm -rf $(shell echo $(A)1)\n")
    expect(workflow, contains: ["rm -rf $(echo x1)"])
  }

  @Test func `targets that need one another are made once`() throws {
    let workflow = try make("a: b\n\techo a\nb: a\n\techo b\n")
    #expect(!workflow.text.contains("uses: \"#b\""), "\(workflow.text)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `commands under a rule that cannot be read are no lines of the makefile`() throws {
    let workflow = try make("A = 1\n$(shell ls): x\n\tA = 2\na:\n\techo $(A)\n")
    #expect(workflow.verdict == .inPart)
    #expect(!workflow.text.contains("A: \"2\""), "\(workflow.text)")
  }

  @Test(arguments: ["all: none\n", "all: x.out\n$(eval $(shell ls))\n"])
  func `a target whose needs nothing makes fails`(_ text: String) throws {
    let workflow = try make(text)
    #expect(workflow.text.contains("exit 1"), "\(workflow.text)")
  }

  @Test func `a default that is computed has a note`() throws {
    let workflow = try make("B = x\nA ?= $(B)/y\na:\n\tls $(A)\n")
    #expect(workflow.remarks.map(\.line) == [2], "\(workflow.remarks)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    #expect(try make("a:\n\techo $(MAKECMDGOALS)\n").verdict == .withNotes)
  }
}
