"""keyfleet message settings and apps: what is changed is what was named, and nothing else."""

import pytest

KEPT = {"phone": "+93", "sms": False, "wallets": ["apple"], "sender": ""}
FIRST = ("--tenant", "tnt_silk")


def words(answer):
    return [" ".join(line.split()) for line in answer.stdout.splitlines()]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), {}),
        (("--no-sms", "--by", "usr_7"), {"sms": False, "by": "usr_7"}),
        (("--wallet", "apple", "--wallet", "google"), {"wallets": ["apple", "google"]}),
        (("--wallet", "none", "--quiet-from", "0"), {"wallets": [], "quiet_from": 0}),
        (("--property", "ppt_kabul", "--code-on-cards"), {"property": "ppt_kabul", "code_on_cards": True}),
    ],
)
def test_settings_are_asked_for_by_what_was_named(fleet, ask, options, said):
    fleet.serves("guest-messages", {"place": "ppt_kabul", "settings": KEPT})
    title, *rows = words(ask("message", "settings", *FIRST, *options))
    assert fleet.asked[-1][2] == {"do": "settings", "tenant": "tnt_silk", **said}
    assert (title, rows) == ("ppt_kabul", ["phone +93", "sms False", "wallets apple", "sender -"])


def test_a_hotel_without_settings_is_told_to_write_to_nobody(fleet, ask):
    fleet.serves("guest-messages", {"place": "tenant", "settings": None})
    said = " ".join(words(ask("message", "settings", *FIRST)))
    assert "writes to nobody" in said
    assert "--link-base" in said


def test_the_apps_that_open_links_are_shown_and_named(fleet, ask):
    fleet.serves("guest-messages", {"apple": [], "android": []})
    assert words(ask("message", "apps")) == ["No app opens guests' links: a browser does."]
    assert fleet.asked[-1][2] == {"do": "apps"}
    fleet.serves("guest-messages", {"apple": ["A1.app"], "android": ["org.app=AB"]})
    shown = words(ask("message", "apps", "--apple", "A1.app", "--android", "org.app=AB", "--by", "usr_7"))
    assert shown == ["apple A1.app", "android org.app=AB"]
    named = {"apple": ["A1.app"], "android": ["org.app=AB"], "by": "usr_7"}
    assert fleet.asked[-1][2] == {"do": "apps", **named}
