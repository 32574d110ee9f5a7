// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "greet",
  platforms: [.macOS(.v15)],
  dependencies: [
    // A clone next to this package. Or: .package(url: "<URL of this repository>", branch: "main")
    .package(path: "../reprise")
  ],
  targets: [
    .executableTarget(
      name: "greet",
      dependencies: [.product(name: "Reprise", package: "reprise")])
  ],
  swiftLanguageModes: [.v6]
)
