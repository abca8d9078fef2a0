"""Whoever is woken finds the page that the alert names, and on it the cause, whichever it is."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

import pytest

from tests.architecture.planting import planted, plants
from tests.architecture.tree import Tree

ISSUE, REVOKE = "infra/runbooks/lock/key-issue.md", "infra/runbooks/lock/key-revoke.md"
RAISING = ("shared/ports/", "shared/usecases/", "shared/keywork/", "shared/vendor_kit/", "shared/vendors/")
UNMET = {
    "shared/keywork/port": "the specification's LockPort, which no saga speaks to",
    "shared/vendor_kit/lock_in_turn.py": "a vendor that answers at once has no job to be asked for",
    "shared/vendors/mock/": "no hotel has such locks",
}
"""What gives causes that nobody is woken for."""
NOT_WHEN_TAKEN_BACK = {
    **dict.fromkeys(("card_faulty", "card_missing", "encoder_offline"), "said of a card that is written"),
    **dict.fromkeys(("too_early", "lock_swapped"), "said of what is to be made"),
    **dict.fromkeys(
        ("attempts_spent", "room_without_lock", "scope_without_lock", "secret_missing"),
        "found before a lock is asked",
    ),
    **dict.fromkeys(("kind_not_offered", "window_over"), "of such a key no grant is written down"),
    **dict.fromkeys(("lock_full", "pin_refused", "pin_taken"), "said of what is added"),
    **dict.fromkeys(
        ("receiver_refused", "window_spent", "not_changeable"), "said of what is added or changed"
    ),
    "no_such_key": "then it is gone, as it should be",
}
OF_A_VENDOR = ("shared/vendor_kit/", "shared/keywork/vendor_session.py")
"""What gives causes that speak of a vendor or its account, beside the vendor's own adapter."""
OF_SOME_VENDORS = {
    "shared/vendor_kit/carried_keys.py": ("carried_keys", "desk_keys"),
    "shared/vendor_kit/desk_keys.py": ("desk_keys",),
    "shared/vendor_kit/by_radio.py": ("radio_vendor",),
}
"""Parts of the kit that lead only some vendors to a cause: those that import one of these modules."""
ROW = re.compile(r"^ *\| (.*?) \|", re.MULTILINE)
Texts = Mapping[str, set[str]]
TAKEN_AS = ("str", "LockCause")


def causes_are_explained(tree: Tree) -> Iterator[str]:
    """A page's tables hold every cause that can lead to it, and none that nobody gives."""
    given = causes(tree)
    for path in given.pop("", ()):
        yield f"{path}: a cause that cannot be read here: write it as a literal"
    for page, wanted in expected(tree, given).items():
        told = {
            cause for row in ROW.findall(tree.texts.get(page, "")) for cause in re.findall("`([a-z_]+)`", row)
        }
        for cause in sorted(wanted - told):
            yield f"{page}: say in a table what to do about {cause}"
        for cause in sorted(told - wanted):
            yield f"{page}: {cause} cannot lead here: delete it"


def alerts_name_a_page(tree: Tree) -> Iterator[str]:
    """What an alert says to read is there."""
    for path in (path for path in tree.product if path.startswith("shared/")):
        for node in ast.walk(tree.modules[path]):
            if isinstance(node, ast.keyword) and node.arg == "runbook":
                name = node.value.value if isinstance(node.value, ast.Constant) else None
                if f"infra/runbooks/{name}.md" not in tree.files:
                    yield f"{path}:{node.lineno}: no such page: write infra/runbooks/{name or '…'}.md"


RULES = {"Causes are explained": causes_are_explained, "Alerts name a page": alerts_name_a_page}


def expected(tree: Tree, given: Texts) -> dict[str, set[str]]:
    """Return the causes that can lead to each page."""
    pages = {ISSUE: set(given), REVOKE: given.keys() - NOT_WHEN_TAKEN_BACK.keys()}
    for vendor in tree.folders("shared/vendors"):
        own = f"shared/vendors/{vendor}/"
        if own not in UNMET:
            places, foreign = (*OF_A_VENDOR, own), _foreign(tree, own)
            pages[f"{own}RUNBOOK.md"] = {cause for cause in given if _stands(given[cause] - foreign, places)}
    return pages


def causes(tree: Tree) -> dict[str, set[str]]:
    """Return every cause that product code gives, and where; what cannot be read counts as the cause ''."""
    paths = [path for path in tree.product if path.startswith(RAISING) and not path.startswith(tuple(UNMET))]
    words = {name: said for path in paths for name, said in _members(tree.modules[path])}
    words |= {name: said for path in paths for name, said in _words(tree.modules[path], words)}
    public = {name: at for path in paths for name, at in _takers(tree.modules[path]) if name[0] != "_"}
    found = defaultdict[str, set[str]](set)
    for path in paths:
        takers = {"LockErrorCause": 0} | public | dict(_takers(tree.modules[path]))
        for place in _given(tree.modules[path], takers):
            for cause in _said(place, words | dict(_words(tree.modules[path], words))):
                found[cause].add(path if cause else f"{path}:{place.lineno}")
    return dict(found)


def _foreign(tree: Tree, own: str) -> set[str]:
    """Return the parts of the kit that a vendor does not use."""
    texts = [tree.texts[path] for path in tree.product if path.startswith(own)]
    parts = {name for names in OF_SOME_VENDORS.values() for name in names}
    used = {name for name in parts if any(f"vendor_kit.{name}" in text for text in texts)}
    return {path for path, names in OF_SOME_VENDORS.items() if used.isdisjoint(names)}


def _members(module: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """Return the words of the module's enumerations, by the names of their members."""
    for node in (node for node in module.body if isinstance(node, ast.ClassDef)):
        if any(ast.unparse(parent) == "StrEnum" for parent in node.bases):
            for line in (line for line in node.body if isinstance(line, ast.Assign)):
                if isinstance(line.value, ast.Constant):
                    yield f"{node.name}.{ast.unparse(line.targets[0])}", [line.value.value]


def _words(module: ast.Module, members: Mapping[str, list[str]]) -> Iterator[tuple[str, list[str]]]:
    """Return the module's named words, and its tables by the words in them."""
    for node in module.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            values = node.value.values if isinstance(node.value, ast.Dict) else [node.value]
            said = [_word(each, members) for each in values]
            if all(isinstance(word, str) for word in said):
                yield node.target.id, said


def _word(value: ast.expr, members: Mapping[str, list[str]]) -> object:
    """Return a word, be it written here or an enumeration's member."""
    return value.value if isinstance(value, ast.Constant) else members.get(ast.unparse(value), [None])[0]


def _takers(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Return what takes a cause as a plain word, and as which of its arguments."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            fields = [argument for argument in node.args.args if argument.arg != "self"]
            names = [(argument.arg, argument.annotation) for argument in fields]
        elif isinstance(node, ast.ClassDef):
            lines = [line for line in node.body if isinstance(line, ast.AnnAssign)]
            names = [(ast.unparse(line.target), line.annotation) for line in lines]
        else:
            continue
        for at, (name, kind) in enumerate(names):
            if name == "cause" and kind is not None and ast.unparse(kind) in TAKEN_AS:
                yield node.name, at


def _given(module: ast.Module, takers: Mapping[str, int]) -> Iterator[ast.expr]:
    """Return what is given as a cause, but for what a function only hands on."""
    handed_on = {
        id(name)
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and any(argument.arg == "cause" for argument in node.args.args)
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and name.id == "cause"
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            at = takers.get(ast.unparse(node.func).rpartition(".")[2])
            named = [each.value for each in node.keywords if each.arg in ("cause", "kind")]
            if at is not None:
                plain = (_plain(each) for each in (node.args[at:] or named)[:1])
                yield from (each for each in plain if id(each) not in handed_on)


def _plain(given: ast.expr) -> ast.expr:
    """Return an enumeration's member where its value is given."""
    return given.value if isinstance(given, ast.Attribute) and given.attr == "value" else given


def _said(place: ast.expr, words: Mapping[str, list[str]]) -> list[str]:
    """Return the causes that an expression can mean."""
    match place:
        case ast.Constant(value=str(word)):
            return [word]
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)) if name in words:
            return words[name]
        case ast.Attribute() if ast.unparse(place) in words:
            return words[ast.unparse(place)]
        case ast.Attribute(attr="cause"):
            return []  # of a table's row, which says it
        case _:
            return [""]


def _stands(paths: set[str], places: tuple[str, ...]) -> bool:
    return any(path.startswith(places) for path in paths)


ROOM = "shared/usecases/issue_key.py"
MELTED = 'LOST = LockErrorCause("door_melted")'
PAGE = "| cause | do |\n|---|---|\n| `door_melted` | wait |\n"
VIOLATIONS = {
    "Causes are explained": [
        {ROOM: MELTED},
        {ROOM: MELTED, ISSUE: PAGE, REVOKE: PAGE.replace("`", "")},
        {ROOM: MELTED, ISSUE: PAGE, REVOKE: f"`door_melted`\n{PAGE.replace('door_melted', 'door_open')}"},
        {ROOM: 'def _no(cause: str): ...\n_no("door_melted")'},
        {ROOM: 'MELTED: Final = "door_melted"\nLOST = LockErrorCause(MELTED)'},
        {ROOM: 'WHY: Final = {OSError: "door_melted"}\ndef no(e): LockErrorCause(WHY[type(e)])'},
        {
            "shared/vendor_kit/registry.py": 'class LockCause(StrEnum):\n    MELTED = "door_melted"',
            ROOM: "def _no(cause: LockCause): LockErrorCause(cause.value)\n_no(LockCause.MELTED)",
        },
        {ROOM: 'def no(state): LockErrorCause("door_" + state)'},
        {ROOM: 'def no(state): LockErrorCause(kind="door_melted")'},
        {"shared/vendor_kit/registry.py": "class Meaning:\n    cause: str", ROOM: 'Meaning("door_melted")'},
        {"shared/vendors/salto/api.py": MELTED, ISSUE: PAGE, REVOKE: PAGE},
        {ISSUE: PAGE},
    ],
    "Alerts name a page": [
        {ROOM: 'log.alert("LOST", runbook="lock/key-lost")'},
        {ROOM: 'log.alert("LOST", runbook=page)', "infra/runbooks/page.md": "# A page"},
    ],
}
EXPLAINED = {
    "shared/vendors/salto/api.py": f'{MELTED}\nlog.alert("LOST", runbook="lock/key-issue")',
    **dict.fromkeys((ISSUE, REVOKE, "shared/vendors/salto/RUNBOOK.md"), PAGE),
}


@pytest.mark.parametrize("rule", RULES)
def test_tree_says_what_to_do_about_whatever_wakes_somebody(tree, rule):
    assert list(RULES[rule](tree)) == []


def test_causes_are_found_wherever_they_are_said(tree):
    tables, calls = (
        {"gateway_offline", "pin_taken", "timeout"},
        {"account_missing", "adapter_lost", "not_mapped"},
    )
    assert tables | calls | {"attempts_spent", "window_over"} <= causes(tree).keys()


def test_exemptions_are_of_causes_that_there_are(tree):
    assert NOT_WHEN_TAKEN_BACK.keys() <= causes(tree).keys()


def test_every_rule_has_a_violation():
    assert list(VIOLATIONS) == [*RULES]


@pytest.mark.parametrize("plant", plants(VIOLATIONS), ids=str)
def test_what_is_not_explained_is_caught_by_its_rule_alone(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert [name for name, rule in RULES.items() if list(rule(tree))] == [plant.gate]


@pytest.mark.parametrize("plant", plants({"none": [EXPLAINED]}), ids=str)
def test_what_is_explained_passes(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert [name for name, rule in RULES.items() if list(rule(tree))] == []
