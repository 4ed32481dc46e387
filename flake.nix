# `nix build`, `nix run` and `nix develop` of the tool. Without flake.lock: `nix flake lock` writes it, and needs a network.
{
  description = "Encrypts files at the speed of memory and refuses altered ones";

  inputs.nixpkgs.url = "nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "polyseal";
          version = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "-p" "polyseal-cli" ];
          # Its tests are those of `make test`, and need files beside the sources; that the tool works is seen here.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            "$out/bin/polyseal" selftest
            "$out/bin/polyseal" man -o man
            installManPage man/*
            for shell in bash zsh fish; do
              "$out/bin/polyseal" completions "$shell" >"polyseal.$shell"
            done
            installShellCompletion polyseal.{bash,zsh,fish}
          '';
          meta = {
            description = "Encrypts files at the speed of memory and refuses altered ones";
            license = [ pkgs.lib.licenses.asl20 pkgs.lib.licenses.mit ];
            mainProgram = "polyseal";
          };
        };
      });
    };
}
