// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "run-server",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "reprise", path: "../..", traits: ["Observability", "ServiceLifecycle"]),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
  ],
  targets: [
    .executableTarget(
      name: "run-server",
      dependencies: [
        .product(name: "Reprise", package: "reprise"),
        .product(name: "RepriseHost", package: "reprise"),
        .product(name: "RepriseJournal", package: "reprise"),
        .product(name: "RepriseObservability", package: "reprise"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
