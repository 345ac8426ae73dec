"""What `pip install .` alone brings is enough to serve the pages."""

import subprocess
import sys

CODE = """
import sys
for name in "anthropic google google.genai httpx httpx2 jwt mcp openai psycopg sqlglot".split():
    sys.modules[name] = None
from bob.app import Engine
from bob.app.settings import Settings
from bob.http import server
server.build_parts(Engine(Settings(database=sys.argv[1])))
"""


def test_the_server_is_built_without_the_packages_of_extras(tmp_path):
    subprocess.run([sys.executable, "-c", CODE, str(tmp_path / "bob.db")], check=True, cwd=tmp_path)
