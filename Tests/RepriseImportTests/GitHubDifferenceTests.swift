// Differences of machines and folders that no result may hide.

import RepriseImport
import Testing

struct GitHubDifferenceTests {
  @Test(arguments: [
    ("git add -A && git push", "git add -A: it takes what you have not committed"),
    ("git add . ; git push", "git add .: it takes what you have not committed"),
    ("git commit -am x", "git commit -a: it takes what you have not committed"),
    ("test -z \"$(git status --porcelain)\"", "it sees what you have not committed"),
    ("git diff --exit-code", "it sees what you have not committed"),
    ("git checkout -f $REF", "git checkout: it changes the files of your clone"),
    ("git remote add x y", "the remotes of this repository"),
    ("git config user.name bot", "your settings of git in this repository"),
    ("sudo apt-get install jq", "apt install without -y asks here"),
  ])
  func `a script that takes a clean clone or machine for granted gets a note`(
    _ script: String, _ note: String
  ) throws {
    let workflow = try importedSteps("- run: |\n    \(script)")
    #expect(workflow.remarks.contains { $0.text.contains(note) }, "\(workflow.remarks)")
  }

  @Test(arguments: [
    ("docker rm -f $(docker ps -aq)", "it takes all containers of this machine"),
    ("pkill minio", "pkill: it changes or removes processes"),
    ("rm -rf ${HOME}/tmp/dist", "it removes files of your home folder"),
    ("docker system prune -af", "what docker has on this machine"),
  ])
  func `what a program or a recipe changes is a note, as if it stood in the script`(
    _ command: String, _ note: String
  ) throws {
    let recipe = command.replacing("$", with: "$$")
    let files = [
      "sc/x.sh": "#!/bin/sh\n\(command)\n",
      "Makefile": "all: x\n\tls\nt1:\n\t@bash $(PWD)/sc/x.sh\nt2 t3: x\n\t@\(recipe)\n",
    ]
    for script in [command, "./sc/x.sh", "make t1", "make -j t2"] {
      let workflow = try importedSteps("- run: |\n    \(script)", files: files)
      #expect(
        workflow.remarks.contains { $0.text.contains(note) }, "\(script): \(workflow.remarks)")
    }
    let other = try importedSteps("- run: make all", files: files)
    #expect(!other.remarks.contains { $0.text.contains(note) }, "\(other.remarks)")
  }

  @Test(arguments: [
    "git add ./docs", "git add .github", "git config core.editor vi", "apt-get install -y jq",
    "apt-get -qy install jq", "apt-get install \\\n      --yes jq", "git diff main",
  ])
  func `a script that does not gets none`(_ script: String) throws {
    let workflow = try importedSteps("- run: |\n    \(script)")
    #expect(workflow.remarks.map(\.text) == ["on: push: start the run, or a watch, yourself"])
  }

  @Test func `folders of a machine of GitHub are those of this machine`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        a:
          if: github.repository == 'o/r'
          runs-on: ubuntu-latest
          steps:
            - { run: make, working-directory: /home/runner/go/src }
            - { run: make, working-directory: /home/runner/work/r/r/x }
            - run: /home/runner/go/bin/x /home/runner/work/r/r/y
            - run: "echo '/home/runner/go'"
      """)
    for part in [
      "dir: ${{ env.HOME }}/go/src", "dir: ${{ run.working-dir }}/x",
      "run: $HOME/go/bin/x $GITHUB_WORKSPACE/y",
    ] {
      #expect(workflow.text.contains(part), "\(workflow.text)")
    }
    #expect(workflow.remarks.contains { $0.text.hasPrefix("/home/runner is a folder") })
  }

  @Test func `a job that only has artifacts gets a note about the files of the repository`() throws
  {
    let note = "job build: without a checkout, its folder has only the artifacts there"
    let download = "- { uses: actions/download-artifact@v4, with: { name: a } }\n- run: ls"
    let workflow = try importedSteps(download)
    #expect(workflow.remarks.contains { $0.text.hasPrefix(note) }, "\(workflow.remarks)")
    let other = try importedSteps("- uses: actions/checkout@v4\n" + download)
    #expect(!other.remarks.contains { $0.text.hasPrefix(note) })
  }

  @Test func `a service that reaches another one by its name is missing`() throws {
    let workflow = try importedSteps(
      "- run: make",
      job: """
            services:
              ldap: { image: ldap, ports: ["389:389"] }
              dex: { image: dex, env: { SERVER: "ldap:389" }, ports: ["5556:5556"] }

        """)
    #expect(workflow.verdict == .inPart)
    #expect(workflow.text.contains("it reaches the service ldap by its name"), "\(workflow.text)")
  }

  @Test func `the name of the only job is that of its group`() throws {
    let workflow = try importedSteps(
      "- run: make\n- run: test",
      job: "    name: Test ${{ matrix.a }}\n    strategy: { matrix: { a: [b, c] } }\n")
    #expect(workflow.text.contains("name: Test ${{ matrix.a }}"), "\(workflow.text)")
  }

  @Test func `a system in an expression is not that of the job`() throws {
    let workflow = try imported(
      """
      on: push
      jobs:
        a:
          runs-on: ${{ matrix.x == 'b' && 'macos-latest' || 'ubuntu-latest' }}
          strategy: { matrix: { x: [a, c] } }
          steps: [{ run: make }]
      """)
    #expect(!workflow.remarks.contains { $0.text.contains("meant for") }, "\(workflow.remarks)")
    #expect(
      workflow.remarks.contains {
        $0.text
          == "job a: its combinations work at the same time, in one folder and with what they install"
      })
  }
}
