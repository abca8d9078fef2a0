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


def functions(*lines, sagas=("  {}",)):
    """A fleet.yaml of some descriptors."""
    return "\n".join(["functions:", *(f"  {line}" for line in lines), "workflows:", *sagas, ""])


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
    assert manifest.functions["probe-answer"].allowed() == {"workflow-probe-platform"}


INSIDE = "probe-inside: {description: Answers inside., trigger: {http: internal}}"
CALLING = "  walk_doors: {description: Walks the doors., calls: [probe-inside]}"


def test_internal_function_that_nobody_may_call_is_refused_with_its_remedy(fleet):
    with pytest.raises(ManifestRefused, match=r"probe-inside: .* or a workflow that calls it"):
        fleet(upkeep=functions(INSIDE))


def test_workflow_may_call_what_it_says_it_calls_and_nothing_else(fleet):
    manifest = fleet(upkeep=functions(INSIDE, REPLY, sagas=[CALLING]))
    assert manifest.functions["probe-inside"].allowed() == {"workflow-walk-doors"}
    assert manifest.functions["probe-replier"].allowed() == {"cloud-tasks"}


def test_workflow_that_calls_adapters_may_call_each_in_whatever_family(fleet):
    sagas = ["  work_on_key: {description: Works on a key., calls: [adapters]}"]
    manifest = fleet(
        keys=functions(REPLY, sagas=sagas),
        adapter_salto=functions("adapter-salto: {adapter: salto}"),
        adapter_mock=functions("adapter-mock: {adapter: mock}"),
    )
    for vendor in ("salto", "mock"):
        assert manifest.functions[f"adapter-{vendor}"].allowed() == {"workflow-work-on-key"}


def test_each_adapter_has_a_next_build_of_the_same_rights_and_callers(fleet):
    sagas = ["  work_on_key: {description: Works on a key., calls: [adapters]}"]
    manifest = fleet(
        keys=functions(REPLY, sagas=sagas), adapter_salto=functions("adapter-salto: {adapter: salto}")
    )
    ((name, twin),) = manifest.next_builds.items()
    adapter = manifest.functions["adapter-salto"]
    assert (name, twin.account, twin.entry_point) == (
        "adapter-salto-next",
        "adapter-salto",
        "adapter_salto",
    )
    assert (twin.deployable, twin.allowed()) == (adapter.deployable, adapter.allowed())


@pytest.mark.parametrize(
    ("families", "said"),
    [
        ({"upkeep": functions(REPLY, sagas=[CALLING])}, "calls probe-inside, which no fleet.yaml describes"),
        (
            {"upkeep": functions(INSIDE, sagas=[CALLING]), "rounds": functions(REPLY, sagas=[CALLING])},
            "workflow walk_doors is described twice",
        ),
    ],
    ids=["nobody", "twice"],
)
def test_workflow_that_cannot_be_deployed_is_refused(fleet, families, said):
    with pytest.raises(ManifestRefused, match=said):
        fleet(**families)
