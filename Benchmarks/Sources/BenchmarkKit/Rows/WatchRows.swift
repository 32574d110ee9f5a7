// Rows about watching which files steps use, and about restoring the files of steps.

import Foundation

/// A workflow with one step, run as always, and watched.
private func watchRow(
  _ id: String, _ work: String, limit: Double,
  _ make: @escaping @Sendable (Place) throws -> (steps: String, reset: String?)
) -> Row {
  Row(
    id, work, roundsFactor: 2,
    bars: [Bar(.wall, .ratio("watched", to: "not watched"), .atMost(limit))]
  ) { place in
    let made = try make(place)
    let file = try place.write("watched.yaml", made.steps)
    // In the folder, whose files are those of the project.
    let start = "cd \(place.folder) && exec \(place.programs.reprise)"
    func contestant(_ name: String, _ command: String) -> Contestant {
      Contestant(name) {
        if let reset = made.reset { try place.run(["/bin/sh", "-c", reset]) }
        return try place.measure([
          "/bin/sh", "-c",
          "\(start) \(command) \(file) --progress none --state-dir \(place.freshState())",
        ])
      }
    }
    return [contestant("watched", "trace"), contestant("not watched", "run")]
  }
}

/// A C file that takes a compiler about a second.
private func largeSource(_ count: Int) -> String {
  (0..<count).map { number in
    "static int f\(number)(int n) { int s = 0; for (int i = 0; i < n; i++) "
      + "s += (i * \(number + 7)) % (n + \(number % 13 + 1)); return s ^ \(number); }\n"
  }.joined()
    + "int main(void) { int s = 0;\n"
    + (0..<count).map { "s += f\($0)(s & 63);\n" }.joined() + "return s & 1; }\n"
}

let watchedCompile = watchRow(
  "watch-compile", "`gcc -O2` of one file, for about a second", limit: 1.1
) { place in
  let source = try place.write("large.c", largeSource(place.count(260, quick: 20)))
  return ("steps: [{ id: cc, run: gcc -O2 -c -o \(place.folder)/large.o \(source) }]\n", nil)
}

let watchedImport = watchRow(
  "watch-import", "the start of Python with many modules", limit: 1.1
) { _ in
  let modules =
    "asyncio, email, http.server, json, logging, multiprocessing, sqlite3, ssl, "
    + "unittest, urllib.request, xml.dom.minidom, zipfile, decimal, ctypes, pydoc, tkinter.font"
  let script =
    "import "
    + modules.split(separator: ",").filter { !$0.contains("tkinter") }.joined(separator: ",")
  return (
    "steps: [{ id: py, exec: [python3, -c, \"\(script); sum(i * i for i in range(4000000))\"] }]\n",
    nil
  )
}

let watchedSmall = watchRow(
  "watch-small", "60 compiles of small files by make, 2 at a time", limit: 1.4
) { place in
  let count = place.count(60, quick: 4)
  let folder = place.folder + "/small"
  try place.run(["/bin/mkdir", "-p", folder])
  for number in 0..<count {
    _ = try place.write(
      "small/f\(number).c",
      "#include <stdio.h>\n#include <string.h>\nint f\(number)(void) { return puts(\"x\"); }\n")
  }
  let objects = (0..<count).map { "f\($0).o" }.joined(separator: " ")
  _ = try place.write("small/Makefile", "all: \(objects)\n%.o: %.c\n\tgcc -c -o $@ $<\n")
  return (
    "steps: [{ id: make, run: make -s -j2 -C \(folder) }]\n", "rm -f \(folder)/*.o"
  )
}

let watchedNames = watchRow(
  "watch-names", "`find` of 20,000 files by their times", limit: 8
) { place in
  let folder = place.folder + "/names"
  let count = place.count(20_000, quick: 200)
  try place.run([
    "/bin/sh", "-c",
    "mkdir -p \(folder) && cd \(folder) && for d in $(seq 100); do mkdir -p $d; done && "
      + "seq \(count) | awk '{ print ($1 % 100 + 1) \"/f\" $1 }' | xargs touch",
  ])
  return ("steps: [{ id: find, run: find \(folder) -newer /etc/passwd -name x }]\n", nil)
}

/// A step that has made files, which are restored.
private func restoreRow(
  _ id: String, _ work: String, bars: [Bar], script: @escaping @Sendable (Place) -> String,
  reset: String, peer: (name: String, script: String)?
) -> Row {
  Row(id, work, bars: bars) { place in
    let folder = place.folder + "/restored"
    try place.run(["/bin/sh", "-c", "rm -rf \(folder) && mkdir -p \(folder)/workflows"])
    _ = try place.write(
      "restored/workflows/w.yaml",
      "steps:\n  - id: make\n    cache: { inputs: in, makes: 'out/**' }\n    run: |\n"
        + script(place).split(separator: "\n").map { "      \($0)\n" }.joined())
    _ = try place.write("restored/in", "1\n")
    let command = [
      "/bin/sh", "-c", "cd \(folder) && exec \(place.programs.reprise) run w --progress none",
    ]
    try place.run(command)
    var contestants = [
      Contestant("reprise") {
        try place.run(["/bin/sh", "-c", "cd \(folder) && \(reset)"])
        return try place.measure(command)
      }
    ]
    if let peer {
      contestants.append(
        Contestant(peer.name) {
          try place.run(["/bin/sh", "-c", "cd \(folder) && rm -f copy"])
          return try place.measure(["/bin/sh", "-c", "cd \(folder) && \(peer.script)"])
        })
    }
    return contestants
  }
}

let restoredLarge = restoreRow(
  "restore-large", "a step whose file of 1 GiB is restored",
  bars: [
    Bar(.wall, .ratio("reprise", to: "cp"), .atMost(1.3)),
    Bar(.wall, .value(of: "reprise"), .reported),
  ],
  script: { place in
    "mkdir -p out\nhead -c \(place.count(1024, quick: 4))M /dev/urandom > out/large\n"
      + "cp out/large source"
  }, reset: "rm -f out/large", peer: ("cp", "cp --reflink=auto source copy"))

let restoredSame = restoreRow(
  "restore-same", "a step that is up to date, with 20,000 small files",
  bars: [Bar(.wall, .value(of: "reprise"), .atMost(500))],
  script: { place in
    "mkdir -p out\nseq \(place.count(20_000, quick: 100)) | split -l 1 -a 4 - out/f"
  }, reset: "true", peer: nil)
