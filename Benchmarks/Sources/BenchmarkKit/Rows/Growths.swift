// The work whose growth is measured.

import Foundation

/// All growths, in the order of the picture.
public let allGrowths: [Growth] = [
  Growth("steps", "`reprise validate` of n steps, each needs two") { place, size in
    let files = StepFiles(layered: size, command: "true")
    return [place.programs.reprise, "validate", try place.write("steps.yaml", files.reprise)]
  },
  Growth(
    "items", "`reprise run` of a step with n items of `foreach`, each `true`; 10,000 at most",
    sizeMax: 10_000
  ) { place, size in
    let file = try place.write(
      "items.yaml",
      "steps:\n  - { id: s, foreach: { from: 1, to: \(size) }, max-parallel: 2, exec: [\"true\"] }\n"
    )
    return [place.programs.reprise, "run", file, "--progress", "none", "--no-journal"]
  },
  Growth("events", "`reprise run` of n steps that are skipped, each with its recorded events") {
    place, size in
    let steps = (0..<size).map { "  - { id: s\($0), needs: [], if: \"${{ false }}\", run: x }\n" }
    let file = try place.write("events.yaml", "steps:\n" + steps.joined())
    return [
      place.programs.reprise, "run", file, "--progress", "none", "--state-dir", place.freshState(),
    ]
  },
  Growth("runs", "`reprise runs` after n recorded runs") { place, size in
    let state = place.freshState()
    try place.run([place.programs.own("in-process"), "record", state, "\(size)"])
    return [place.programs.reprise, "runs", "--state-dir", state]
  },
  Growth("files", "`reprise run` of a step that is up to date, with n files") { place, size in
    let folder = place.folder + "/files-\(size)"
    try place.run([
      "/bin/sh", "-c",
      "mkdir -p \(folder)/in && cd \(folder)/in && seq \(size) | split -l 1 -a 5 - f",
    ])
    _ = try place.write(
      "files-\(size)/w.yaml",
      "steps:\n  - { id: s, cache: { inputs: 'in/**', makes: out }, run: touch out }\n")
    let command = [
      "/bin/sh", "-c",
      "cd \(folder) && exec \(place.programs.reprise) run w.yaml --progress none --state-dir state",
    ]
    try place.run(command)
    return command
  },
]
