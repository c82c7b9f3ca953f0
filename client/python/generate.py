"""Writes vouch_client/generated from openapi.yaml: `python generate.py`, before the package is built.

Needs openapi-python-client. The generated code is not in the repository, because it follows from openapi.yaml.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parent.parent / "openapi.yaml"
TARGET = HERE / "vouch_client" / "generated"
# A newer server may send a value that this version does not know.
REFUSAL = re.compile(r"    raise TypeError\(f\"Unexpected value .*")


def main() -> None:
    shutil.rmtree(TARGET, ignore_errors=True)
    command = ["generate", "--path", str(DOCUMENT), "--output-path", str(TARGET), "--meta", "none"]
    config = ["--config", str(HERE / "generate.yaml")]
    # Next to this Python's executable, in case its environment is not active.
    program = Path(sys.executable).with_name("openapi-python-client")
    subprocess.run([str(program) if program.exists() else program.name, *command, *config], check=True)
    for model in (TARGET / "models").glob("*.py"):
        model.write_text(REFUSAL.sub("    return value  # of a newer server", model.read_text()))


if __name__ == "__main__":
    main()
