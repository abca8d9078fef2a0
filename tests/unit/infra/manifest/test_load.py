"""Every fleet.yaml is read into one manifest; a refusal names the file, the field and the remedy."""

import pytest

from infra.manifest.load import ManifestRefused, load_manifest

PROBE = "probe-answer: {description: Answers the probe., trigger: {topic: probes.asked}}"
REPLY = "probe-replier: {description: Replies to it., trigger: {queue: true}, entry_point: reply}"


@pytest.fixture
def fleet(tmp_path):
    """Write families below a root and load them."""

    def load(**families):
        for family, functions in families.items():
            folder = tmp_path / "functions" / family
            folder.mkdir(parents=True)
            (folder / "fleet.yaml").write_text(functions)
        return load_manifest(tmp_path)

    return load


def functions(*lines):
    """A fleet.yaml of some descriptors."""
    return "functions:\n" + "".join(f"  {line}\n" for line in lines)


def test_manifest_holds_every_family_s_functions_by_name(fleet):
    manifest = fleet(upkeep=functions(PROBE), echo=functions(REPLY))

    assert sorted(manifest.functions) == ["probe-answer", "probe-replier"]
    assert manifest.functions["probe-answer"].module == "functions.upkeep.main"
    assert manifest.functions["probe-answer"].entry_point == "probe_answer"
    assert manifest.functions["probe-replier"].entry_point == "reply"


def test_topics_are_those_somebody_subscribes_to_each_once(fleet):
    again = PROBE.replace("probe-answer", "probe-counter")

    assert fleet(upkeep=functions(PROBE, again, REPLY)).topics() == ("probes.asked",)


def test_fleet_without_functions_is_empty(fleet):
    assert fleet().functions == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (functions(PROBE.replace("description", "descripton")), r"probe-answer\.description"),
        (functions(PROBE.replace("probes.asked", "x")), r"probe-answer\.trigger\.TopicTrigger\.topic"),
        (functions("Probe: {}"), r"functions\.Probe"),
        ("functions: {}\nowner: front desk\n", "owner"),
        ("functions: [\n", "not YAML"),
        ("", "fleet.json"),
    ],
    ids=["field", "value", "name", "unknown", "yaml", "empty"],
)
def test_refusal_names_the_file_and_the_field(fleet, text, said):
    with pytest.raises(ManifestRefused, match=said) as refusal:
        fleet(upkeep=text)

    assert "upkeep/fleet.yaml" in str(refusal.value)


def test_name_in_two_families_is_refused(fleet):
    with pytest.raises(ManifestRefused, match="probe-answer is also in echo: names are unique"):
        fleet(upkeep=functions(PROBE), echo=functions(PROBE))


def test_two_functions_with_one_entry_point_are_refused_also_across_families(fleet):
    with pytest.raises(ManifestRefused, match="share the entry point reply: rename one"):
        fleet(upkeep=functions(REPLY), echo=functions(REPLY.replace("probe-replier", "second-reply")))


def test_the_fleet_of_this_repository_loads():
    manifest = load_manifest()

    assert manifest.functions["probe-answer"].family == "upkeep"
    assert manifest.functions["probe-answer"].deployable.callers == ("workflow-probe-platform",)
