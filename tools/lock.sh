#!/usr/bin/env bash
# Writes requirements-dev.lock: every package that development and CI install, at one version, with the hashes of its
# files, for all platforms. Run it when a requirement changes, or to take newer versions (--upgrade).
set -euo pipefail
cd "$(dirname "$0")/.."
exec uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
  --no-header --no-annotate --quiet --output-file requirements-dev.lock "$@"
