"""Writes the bill of materials of the image's Python packages: CycloneDX 1.6 of the lock and the wheel, byte for byte.

python deploy/sbom.py DIST
"""

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

LOCK = Path(__file__).with_name("requirements.lock")


def components(lock: str) -> list[dict[str, Any]]:
    """The packages that a lock names, each with the hashes that pip accepts for it."""
    found = []
    for block in re.split(r"^(?=\S)", lock, flags=re.MULTILINE):
        named = re.match(r"([\w.-]+)==([\w.]+)", block)
        if named:
            name, version = named[1].lower(), named[2]
            hashes = sorted(re.findall(r"--hash=sha256:([0-9a-f]{64})", block))
            found.append(
                {
                    "type": "library",
                    "bom-ref": f"pkg:pypi/{name}@{version}",
                    "name": name,
                    "version": version,
                    "purl": f"pkg:pypi/{name}@{version}",
                    # One hash for each wheel of it: which of them is installed depends on the machine.
                    "properties": [{"name": "hpaaudit:accepted-sha256", "value": value} for value in hashes],
                }
            )
    return sorted(found, key=lambda one: str(one["purl"]))


def bill(wheel: Path, lock: str) -> dict[str, Any]:
    """The bill of the wheel and of what its lock names."""
    name, version = wheel.name.split("-")[:2]
    reference = f"pkg:pypi/{name}@{version}"
    found = components(lock)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": reference,
                "name": name,
                "version": version,
                "purl": reference,
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(wheel.read_bytes()).hexdigest()}],
            }
        },
        "components": found,
        "dependencies": [{"ref": reference, "dependsOn": [one["bom-ref"] for one in found]}],
    }


def main() -> None:
    """As the first line says."""
    (wheel,) = Path(sys.argv[1]).glob("hpaaudit-*.whl")
    written = wheel.with_name("-".join(wheel.name.split("-")[:2]) + ".cdx.json")
    written.write_text(json.dumps(bill(wheel, LOCK.read_text("utf-8")), indent=1) + "\n", "utf-8")
    sys.stdout.write(f"{written}\n")


if __name__ == "__main__":
    main()
