"""What `deploy/` says is so: variables are read somewhere, commands exist and take their options."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands, load_command_class

ROOT = Path(__file__).resolve().parent.parent.parent
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
VARIABLE = re.compile(r"^#? ?([A-Z][A-Z0-9_]+)=", re.MULTILINE)


def compose() -> dict[str, Any]:
    made: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yml").read_text())
    return made


def known() -> set[str]:
    """The variables that the settings read."""
    source = (ROOT / "polyrag_site" / "settings.py").read_text()
    source += (ROOT / "polyrag_site" / "sign_in.py").read_text()
    return set(re.findall(r'"([A-Z][A-Z0-9_]{3,})"', source))


def commands() -> list[list[str]]:
    """What the project's own services run, from compose, Dockerfile and units."""
    found = [
        list(service["command"])
        for service in compose()["services"].values()
        if service.get("image") == "polyrag" and "command" in service
    ]
    said = re.search(r"^CMD (\[.*\])$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert said
    found.append(yaml.safe_load(said[1]))
    for unit in UNITS:
        line = re.search(r"^ExecStart=(.*)$", unit.read_text(), re.MULTILINE)
        assert line, unit
        found.append(line[1].split())
    return found


def test_every_variable_of_the_example_is_read_by_the_settings() -> None:
    named = set(VARIABLE.findall((DEPLOY / "env.example").read_text()))
    assert len(named) > 10
    assert named <= known(), named - known()


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_exists_and_takes_its_options(command: list[str]) -> None:
    assert Path(command[0]).name == "python"
    if command[1] == "-m":
        assert command[2] == "daphne"
        assert command[-1] == "polyrag_site.asgi:application"
        return
    assert (ROOT / command[1]).exists()
    app = get_commands()[command[2]]
    loaded = load_command_class(app, command[2]) if isinstance(app, str) else app
    parser = loaded.create_parser("manage.py", command[2])
    words = [re.sub(r"^\$.*", "x", word) for word in command[3:]]
    parser.parse_args(words)


def test_services_name_only_volumes_and_services_that_there_are() -> None:
    held = compose()
    assert {"db", "redis", "web", "worker", "watch", "embedder", "generator", "proxy"} <= set(
        held["services"]
    )
    for name, service in held["services"].items():
        for other in service.get("depends_on", []):
            assert other in held["services"], name
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("./"):
                assert (DEPLOY / source).exists(), source
            elif not source.startswith("$"):
                assert source in held["volumes"], source
    files = {"env": "env.example"}
    assert files[held["services"]["web"]["env_file"]] in {path.name for path in DEPLOY.iterdir()}


def test_addresses_of_the_example_are_services_of_the_compose_file() -> None:
    named = re.findall(r"//(?:[^@/\s]*@)?([a-z]+):\d+", (DEPLOY / "env.example").read_text())
    services = set(compose()["services"])
    assert {"db", "redis", "embedder", "generator"} <= set(named)
    # A replica is the operator's own: it stands in a line that is off.
    assert set(named) - {"replica"} <= services


def test_the_image_installs_by_hash_and_runs_as_nobody_special() -> None:
    said = (DEPLOY / "Dockerfile").read_text()
    assert "--require-hashes" in said
    assert "requirements/hosts.txt" in said
    assert said.rindex("\nUSER polyrag") < said.rindex("\nCMD ")


def test_units_are_as_systemd_wants_them(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    assert len(UNITS) == 4
    for unit in UNITS:
        # The program of an installation is not here; any that is stands for it.
        text = unit.read_text().replace("/opt/polyrag/.venv/bin/python", "/bin/true")
        (tmp_path / unit.name).write_text(text)
    paths = [str(tmp_path / unit.name) for unit in UNITS]
    done = subprocess.run(
        ["systemd-analyze", "verify", *paths], capture_output=True, text=True, check=False
    )
    ours = [line for line in done.stderr.splitlines() if "polyrag-" in line]
    assert (done.returncode, ours) == (0, []), done.stderr
