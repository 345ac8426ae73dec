#!/usr/bin/env bash
# Writes requirements-dev.lock: every package that development and CI install, at one version, with the hashes of its
# files, for all platforms. Extras are written down, too: pip 23 does not see that a package with an extra is the one
# that is pinned, and would take the newest. Run it when a requirement changes, or to take newer versions (--upgrade).
set -euo pipefail
cd "$(dirname "$0")/.."
exec uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --no-strip-extras \
  --no-header --no-annotate --quiet --output-file requirements-dev.lock "$@"
