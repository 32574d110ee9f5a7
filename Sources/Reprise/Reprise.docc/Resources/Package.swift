// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "greet",
  platforms: [.macOS(.v15)],
  dependencies: [
    // A clone next to this package, without the command, and what only it needs. Or:
    // .package(url: "<URL of this repository>", branch: "main", traits: [])
    .package(path: "../reprise", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "greet",
      dependencies: [.product(name: "Reprise", package: "reprise")])
  ],
  swiftLanguageModes: [.v6]
)
