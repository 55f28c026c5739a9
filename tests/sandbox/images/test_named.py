"""What images are made of, and the tags that follow from it."""

from pathlib import Path

import pytest

from agentgym.errors import ConfigError, UnknownNameError
from agentgym.sandbox.images import installed_site
from agentgym.sandbox.images.installed_site import requirement_pins, site_files
from agentgym.sandbox.images.named import ImageCatalogue, base_images, default_catalogue, image_tag, resolve_image
from agentgym.sandbox.runner.binary import COMPILE_FLAGS, runner_sources

ROOT = Path(__file__).parents[3]


def write(root: Path, name: str, dockerfile: str, **files: str) -> Path:
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Dockerfile").write_text(dockerfile)
    for file, text in files.items():
        (folder / file.replace("_", ".")).write_text(text)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "leaf", "FROM agentgym/trunk\nCOPY a.txt /\n", a_txt="one")
    write(tmp_path, "trunk", "FROM debian:bookworm-slim AS build\nFROM build\nFROM scratch\n")
    write(tmp_path, "other", "FROM debian:bookworm-slim\n")
    return tmp_path


def tags(root: Path) -> dict[str, str]:
    images = ImageCatalogue(root)
    return {name: images.tag(name) for name in images.names}


def test_images_come_after_what_they_build_on(root: Path) -> None:
    images = ImageCatalogue(root)
    assert images.names == ("trunk", "leaf", "other")
    assert images.closure(("leaf",)) == ("trunk", "leaf")
    assert images.source("trunk").foreign_parents == ("debian:bookworm-slim",)


def test_base_images_are_neither_options_nor_stages() -> None:
    lines = ("from --platform=linux/amd64 debian:bookworm-slim as Build", "FROM busybox", "FROM build", "FROM scratch")
    assert base_images("\n".join((*lines, "  FROM busybox AS last", "COPY --from=build /a /"))) == [
        "debian:bookworm-slim",
        "busybox",
    ]


def test_tag_is_the_same_for_the_same_content_elsewhere(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write(elsewhere, "leaf", "FROM agentgym/trunk\nCOPY a.txt /\n", a_txt="one")
    write(elsewhere, "trunk", "FROM debian:bookworm-slim AS build\nFROM build\nFROM scratch\n")
    assert tags(elsewhere) == {name: tag for name, tag in tags(root).items() if name != "other"}


@pytest.mark.parametrize(
    ("name", "text", "changed"),
    [
        ("leaf/a.txt", "two", {"leaf"}),
        ("trunk/Dockerfile", "FROM debian:bookworm-slim\nENV A=1\n", {"trunk", "leaf"}),
        ("leaf/new.txt", "", {"leaf"}),
        ("leaf/README.md", "words", set()),
    ],
)
def test_tag_changes_with_what_an_image_is_made_of_and_nothing_else(
    root: Path, name: str, text: str, changed: set[str]
) -> None:
    before = tags(root)
    (root / name).write_text(text)
    after = tags(root)
    assert {image for image in before if before[image] != after[image]} == changed


def test_tag_changes_when_a_file_becomes_a_program(root: Path) -> None:
    before = tags(root)["leaf"]
    (root / "leaf" / "a.txt").chmod(0o755)
    assert tags(root)["leaf"] != before


def test_tag_changes_with_pinned_packages(root: Path) -> None:
    (root / "leaf" / "packages.txt").write_text("six==1.16.0\n")
    assert ImageCatalogue(root).source("leaf").pins == ("six==1.16.0",)
    before = tags(root)["leaf"]
    (root / "leaf" / "packages.txt").write_text("six==1.17.0\n")
    assert tags(root)["leaf"] != before


def test_dockerfile_names_its_own_parents_by_their_tags(root: Path) -> None:
    images = ImageCatalogue(root)
    assert images.dockerfile("leaf").splitlines()[0] == f"FROM {images.tag('trunk')}"
    assert images.dockerfile("other") == "FROM debian:bookworm-slim\n"


def test_images_in_a_circle_are_refused(root: Path) -> None:
    write(root, "trunk", "FROM agentgym/leaf\n")
    with pytest.raises(ConfigError, match="leaf -> trunk -> leaf"):
        _ = ImageCatalogue(root).names


def test_unknown_images_are_refused_with_close_matches(root: Path) -> None:
    with pytest.raises(UnknownNameError, match="trunk"):
        ImageCatalogue(root).tag("trunc")
    with pytest.raises(UnknownNameError):
        ImageCatalogue(root).tag("../leaf")


def test_short_names_of_ours_resolve_and_others_stay() -> None:
    assert resolve_image("agentgym/base") == image_tag("base") == image_tag("agentgym/base")
    assert image_tag("base").startswith("agentgym/base:")
    assert resolve_image("agentgym/base:abc") == "agentgym/base:abc"
    assert resolve_image("debian:bookworm-slim") == "debian:bookworm-slim"
    with pytest.raises(UnknownNameError):
        resolve_image("agentgym/no-such-image")


@pytest.mark.parametrize("name", default_catalogue().names)
def test_each_image_of_ours_has_a_page_and_pinned_packages(name: str) -> None:
    folder = ROOT / "containers" / name
    assert (folder / "README.md").is_file()
    assert all("==" in pin for pin in default_catalogue().source(name).pins)


def test_base_compiles_the_runner_as_the_host_does() -> None:
    images = default_catalogue()
    assert f"RUN cc {' '.join(COMPILE_FLAGS)} -o /agentgym-runner /src/*.c" in images.dockerfile("base")
    assert len(images.runner_digest("base")) == 64
    assert images.runner_digest("python") == ""
    assert {f"runner/{source.name}" for source in runner_sources()} <= images.source("base").files.keys()


def test_env_image_carries_sources_suites_and_metadata_and_no_trainer() -> None:
    files = default_catalogue().source("env").files
    assert "site/agentgym/env/agent_env.py" in files
    assert "site/agentgym_dialogue/__init__.py" in files
    assert "site/agentgym/_data/tasks/dialogue/guess-number/test.jsonl" in files
    assert [name for name in files if "agentgym_rl" in name or "__pycache__" in name] == []
    assert len([name for name in files if name.endswith(".dist-info/METADATA")]) == 1


def test_env_image_is_as_this_installation() -> None:
    pins = dict(pin.split("==") for pin in requirement_pins("serve"))
    assert {"gymnasium", "numpy", "starlette", "uvicorn", "h11", "orjson"} <= pins.keys()
    assert "torch" not in pins
    assert len(site_files()) > 100


def test_web_image_adds_what_the_extra_needs_to_what_env_holds() -> None:
    images = default_catalogue()
    env, web = ({pin.partition("==")[0] for pin in images.source(name).pins} for name in ("env", "web"))
    assert {"jinja2", "markupsafe", "miniwob", "pillow", "python-multipart", "warcio"} <= web
    assert not web & (env | {"torch", "playwright", "greenlet", "selenium", "trio"})
    assert not any(target.startswith("site/") for target in images.source("web").files)
    assert images.closure(("web",)) == ("base", "env", "web")


@pytest.mark.parametrize("is_checkout", [True, False])
def test_env_image_asks_for_what_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_checkout: bool
) -> None:
    monkeypatch.setattr(installed_site, "_PACKAGE", tmp_path / "agentgym")
    lines = ["numpy>=2", "no-such-distribution; extra == 'serve'", "neither-this; extra == 'web'"]
    monkeypatch.setattr(installed_site, "requires", lambda name: lines)
    if is_checkout:
        extras = 'serve = ["no-such-distribution"]\nweb = ["neither-this"]\n'
        text = f'[project]\ndependencies = ["numpy>=2"]\n[project.optional-dependencies]\n{extras}'
        (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(ConfigError, match="needs no-such-distribution, which is not installed"):
        requirement_pins("serve")
