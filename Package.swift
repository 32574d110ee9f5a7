// swift-tools-version: 6.2

import PackageDescription

let command = TargetDependencyCondition.when(traits: ["Command"])
let observability = TargetDependencyCondition.when(traits: ["Observability"])
let web = TargetDependencyCondition.when(traits: ["Web"])

let package = Package(
  name: "reprise",
  platforms: [.macOS(.v15)],  // for `Mutex`
  products: [
    .library(name: "Reprise", targets: ["Reprise"]),
    .library(name: "CombineOperators", targets: ["CombineOperators"]),
    .library(name: "RepriseObservability", targets: ["RepriseObservability"]),
    .library(name: "RepriseService", targets: ["RepriseService"]),
    .library(name: "RepriseTesting", targets: ["RepriseTesting"]),
    .library(name: "RepriseRunners", targets: ["RepriseRunners"]),
    .library(name: "RepriseJournal", targets: ["RepriseJournal"]),
    .library(name: "RepriseHost", targets: ["RepriseHost"]),
    .executable(name: "reprise", targets: ["RepriseCLI"]),
    .executable(name: "reprise-web", targets: ["RepriseWebServer"]),
  ],
  // A package that embeds the engine does not fetch what other targets depend on: all but the trait of the
  // command are disabled by default, and it disables that one, too, with `traits: []`.
  traits: [
    .trait(
      name: "Command", description: "reprise: the command, with swift-argument-parser"),
    .trait(
      name: "Observability",
      description: "RepriseObservability: swift-log, swift-metrics and swift-distributed-tracing"),
    .trait(
      name: "ServiceLifecycle",
      description: "RepriseService: an engine as a service of swift-service-lifecycle"),
    .trait(
      name: "Web", description: "reprise-web: the live page, served by Hummingbird",
      enabledTraits: ["Command"]),
    .default(enabledTraits: ["Command"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.1.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  // In the order of the data flow: a target depends only on targets above it.
  targets: [
    .target(
      name: "Platform",
      dependencies: [
        "PlatformShim", .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .target(name: "PlatformShim"),
    .systemLibrary(
      name: "CYaml",
      pkgConfig: "yaml-0.1",
      providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]
    ),
    .target(name: "YAML", dependencies: ["CYaml"]),
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .target(name: "SQLite", dependencies: ["Platform", "CSQLite"]),
    .target(name: "Paths", dependencies: ["Platform"]),
    .target(name: "Schedules", dependencies: ["Platform"]),
    .target(name: "Expressions", dependencies: ["Paths"]),
    .target(name: "Workflows", dependencies: ["Platform", "Paths", "Expressions"]),
    .target(
      name: "WorkflowReading", dependencies: ["Platform", "Paths", "YAML", "Workflows"]),
    .target(
      name: "WorkflowFiles",
      dependencies: ["Platform", "Paths", "Schedules", "YAML", "Workflows", "WorkflowReading"],
      plugins: ["ErrorTexts"]),
    .plugin(name: "ErrorTexts", capability: .buildTool()),
    .target(
      name: "RepriseImport", dependencies: ["Schedules", "Workflows", "WorkflowFiles", "YAML"]),
    .target(
      name: "RepriseExport", dependencies: ["Schedules", "Workflows", "WorkflowFiles", "YAML"]),
    .target(name: "ReactiveCore", dependencies: ["PlatformShim"]),
    .target(name: "ThreadSanitizerShim"),
    .target(name: "CombineOperators", dependencies: ["ReactiveCore", "ThreadSanitizerShim"]),
    .target(name: "ChildProcessesShim"),
    .target(name: "FileTraceShim"),
    .target(
      name: "ChildProcesses", dependencies: ["Platform", "ChildProcessesShim", "FileTraceShim"]),
    .target(name: "FileWatching", dependencies: ["Platform", "Paths"]),
    .target(name: "Masking"),
    .target(
      name: "Reprise",
      dependencies: [
        "Platform", "Paths", "Schedules", "Workflows", "WorkflowFiles", "CombineOperators",
        "ChildProcesses", "Masking",
      ]),
    .target(
      name: "RepriseObservability",
      dependencies: [
        "Reprise", "Masking",
        .product(name: "Logging", package: "swift-log", condition: observability),
        .product(name: "Metrics", package: "swift-metrics", condition: observability),
        .product(name: "Tracing", package: "swift-distributed-tracing", condition: observability),
      ]
    ),
    .target(
      name: "RepriseService",
      dependencies: [
        "Reprise",
        .product(
          name: "ServiceLifecycle", package: "swift-service-lifecycle",
          condition: .when(traits: ["ServiceLifecycle"])),
      ]
    ),
    .target(
      name: "RepriseTesting", dependencies: ["Platform", "Reprise", "Workflows"]),
    .target(
      name: "RepriseJournal",
      dependencies: ["Platform", "Paths", "Reprise", "ChildProcesses", "SQLite"]),
    .target(name: "RepriseStore", dependencies: ["Platform", "Paths", "Reprise"]),
    .target(
      name: "RepriseControl", dependencies: ["Platform", "Reprise", "CombineOperators"]),
    .target(
      name: "RepriseTerminal", dependencies: ["Platform", "Reprise", "CombineOperators"]),
    .target(
      name: "RepriseRunners",
      dependencies: ["Platform", "Paths", "Reprise", "ChildProcesses", "Masking"]),
    .target(
      name: "RepriseHost",
      dependencies: [
        "Platform", "Paths", "Reprise", "RepriseRunners", "RepriseJournal", "RepriseStore",
        "RepriseControl", "RepriseTerminal", "ChildProcesses", "FileWatching", "CombineOperators",
      ],
      plugins: ["ReferenceText"]
    ),
    .plugin(name: "ReferenceText", capability: .buildTool()),
    .executableTarget(
      name: "RepriseCLI",
      dependencies: [
        "Platform", "Reprise", "RepriseRunners", "RepriseHost", "RepriseJournal",
        "RepriseControl", "RepriseTerminal", "RepriseImport", "RepriseExport", "ChildProcesses",
        "CombineOperators",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: command),
      ],
      plugins: ["CommitOfBuild"]
    ),
    .plugin(name: "CommitOfBuild", capability: .buildTool()),
    .target(
      name: "RepriseWeb",
      dependencies: [
        "Platform", "Reprise", "RepriseHost", "RepriseJournal", "RepriseControl",
        "RepriseTerminal", "FileWatching", "CombineOperators",
      ],
      exclude: ["Page"], plugins: ["PageText"]),
    .plugin(name: "PageText", capability: .buildTool()),
    .executableTarget(
      name: "RepriseWebServer",
      dependencies: [
        "Platform", "Reprise", "RepriseHost", "RepriseJournal", "RepriseTerminal", "RepriseWeb",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: web),
        .product(name: "Hummingbird", package: "hummingbird", condition: web),
        .product(name: "NIOCore", package: "swift-nio", condition: web),
        .product(name: "HTTPTypes", package: "swift-http-types", condition: web),
        .product(name: "Logging", package: "swift-log", condition: web),
      ]),

    .executableTarget(
      name: "TraceDriver", dependencies: ["FileTraceShim"], path: "Tests/TraceDriver"),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .target(
      name: "Simulator",
      dependencies: [
        "Platform", "Reprise", "RepriseRunners", "RepriseTesting", "WorkflowFiles",
        "CombineOperators",
      ],
      path: "Tests/Simulator"),
    .executableTarget(name: "simulate", dependencies: ["Simulator"], path: "Tests/simulate"),
    .testTarget(
      name: "SimulationTests", dependencies: ["simulate", "TestSupport"], exclude: ["Scenarios"]),
    .executableTarget(
      name: "EmbeddingServer", dependencies: ["Reprise", "RepriseHost", "RepriseJournal"],
      path: "Tests/EmbeddingServer"),
    .target(
      name: "PowerLossShim", path: "Tests/PowerLossShim",
      linkerSettings: [.linkedLibrary("sqlite3")]),
    .testTarget(name: "PlatformTests", dependencies: ["Platform"]),
    .testTarget(name: "PathsTests", dependencies: ["Paths", "TestSupport"]),
    .testTarget(name: "SchedulesTests", dependencies: ["Schedules", "TestSupport"]),
    .testTarget(name: "YAMLTests", dependencies: ["YAML"]),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "TestSupport"]),
    .testTarget(
      name: "WorkflowFilesTests",
      dependencies: [
        "Workflows", "WorkflowReading", "WorkflowFiles", "Schedules", "YAML", "TestSupport",
      ],
      exclude: ["Messages.txt"]),
    .testTarget(
      name: "RepriseExportTests",
      dependencies: ["RepriseExport", "WorkflowFiles", "TestSupport"]),
    .testTarget(
      name: "RepriseImportTests",
      dependencies: ["RepriseImport", "WorkflowFiles", "TestSupport"]),
    .testTarget(
      name: "CombineOperatorsTests",
      dependencies: ["CombineOperators", "RepriseTesting", "TestSupport"]),
    .testTarget(
      name: "FileWatchingTests", dependencies: ["FileWatching", "Platform", "TestSupport"]),
    .testTarget(
      name: "ChildProcessesTests", dependencies: ["ChildProcesses", "Platform", "TestSupport"]),
    .testTarget(name: "MaskingTests", dependencies: ["Masking", "TestSupport"]),
    .target(name: "AllocationShim", path: "Tests/AllocationShim"),
    .testTarget(
      name: "RepriseTests",
      dependencies: [
        "Reprise", "ChildProcesses", "Paths", "Schedules", "TestSupport", "AllocationShim",
      ]
    ),
    .testTarget(name: "RepriseTestingTests", dependencies: ["RepriseTesting", "TestSupport"]),
    .testTarget(
      name: "EmbedderTests",
      dependencies: [
        "Reprise", "RepriseRunners", "RepriseHost", "RepriseJournal", "RepriseTesting",
        "TestSupport",
      ]),
    .testTarget(
      name: "RepriseObservabilityTests",
      dependencies: [
        "RepriseObservability", "TestSupport",
        .product(name: "InMemoryLogging", package: "swift-log", condition: observability),
        .product(name: "MetricsTestKit", package: "swift-metrics", condition: observability),
        .product(
          name: "InMemoryTracing", package: "swift-distributed-tracing", condition: observability),
      ]
    ),
    .testTarget(name: "RepriseServiceTests", dependencies: ["RepriseService", "TestSupport"]),
    .testTarget(
      name: "RepriseJournalTests",
      dependencies: ["RepriseJournal", "SQLite", "TestSupport", "PowerLossShim"]
    ),
    .testTarget(
      name: "RepriseStoreTests",
      dependencies: ["RepriseStore", "Reprise", "ChildProcesses", "Platform", "TestSupport"]),
    .testTarget(name: "RepriseControlTests", dependencies: ["RepriseControl", "TestSupport"]),
    .testTarget(name: "RepriseTerminalTests", dependencies: ["RepriseTerminal", "TestSupport"]),
    .testTarget(
      name: "RepriseRunnersTests",
      dependencies: ["RepriseRunners", "Reprise", "Platform", "TestSupport"]),
    .testTarget(
      name: "RepriseHostTests",
      dependencies: [
        "RepriseHost", "RepriseJournal", "RepriseControl", "RepriseTerminal",
        "WorkflowFiles", "TestSupport",
      ]),
    .testTarget(
      name: "RepriseCLITests",
      dependencies: [
        "RepriseCLI", "RepriseImport", "RepriseHost", "RepriseControl", "RepriseJournal",
        "ChildProcesses", "SQLite", "TestSupport", "EmbeddingServer",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: command),
      ]),
    .testTarget(
      name: "RepriseWebTests", dependencies: ["RepriseWeb", "RepriseJournal", "TestSupport"]),
    .testTarget(name: "HouseTests", dependencies: ["WorkflowFiles"]),
  ],
  swiftLanguageModes: [.v6]
)

let targetsTouchingC: Set = [
  "Platform", "YAML", "SQLite", "ChildProcesses", "YAMLTests", "SQLiteTests",
  "ChildProcessesTests",
]

for target in package.targets where ![.system, .plugin].contains(target.type) {
  guard !target.name.hasSuffix("Shim") else { continue }
  var settings = target.swiftSettings ?? []
  settings.append(.treatAllWarnings(as: .error))
  // Compiled with the default settings of the compiler, like the packages of embedders.
  if ["EmbedderTests", "RepriseTestingTests"].contains(target.name) {
    target.swiftSettings = settings
    continue
  }
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
  settings.append(.enableUpcomingFeature("ExistentialAny"))
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
  settings.append(.enableUpcomingFeature("MemberImportVisibility"))
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
  settings.append(.enableUpcomingFeature("InternalImportsByDefault"))
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
  settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
  if targetsTouchingC.contains(target.name) {
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
    settings.append(.strictMemorySafety())
  }
  target.swiftSettings = settings
}
