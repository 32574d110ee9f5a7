// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "greet",
  platforms: [.macOS(.v15)],
  dependencies: [
    // For a clone on this machine: .package(path: "../reprise")
    .package(url: "https://github.com/reprise-run/reprise", branch: "main")
  ],
  targets: [
    .executableTarget(
      name: "greet",
      dependencies: [.product(name: "Reprise", package: "reprise")])
  ],
  swiftLanguageModes: [.v6]
)
