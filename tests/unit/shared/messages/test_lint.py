"""The linter passes our texts, and each kind of broken text is caught by the rule of its name alone."""

import shutil

import pytest

from shared.messages.lint import lint
from shared.messages.shown import SHOWN
from shared.messages.texts import FOLDER, our_texts, read_texts
from shared.messages.written import WRITTEN

PDI, LRI, RLO = "\u2069", "\u2066", "\u202e"
PLANTS = [
    ("texts are complete", "fr.toml", '["key.ended"]', '["key.over"]'),
    ("texts are complete", "ps.toml", "sms_without_link =", "sms_unlinked ="),
    ("texts are complete", "ar.toml", 'button = "افتح مفتاحي"', 'button = " "'),
    ("texts are complete", "ar.toml", "greeting =", "salutation ="),
    ("texts are complete", "fa-AF.toml", '"ثور", ', ""),
    ("texts are complete", "ps.toml", "solar_months", "months_of_the_sun"),
    ("slots are the same", "fr.toml", "du {opens} au {closes}", "du {opens} au départ"),
    ("slots are the same", "en.toml", "Dear guest,", "Dear {guest},"),
    ("slots are the same", "ar.toml", "رمز الباب {pin} ابتداءً من {opens}.", "رمز الباب {pin}."),
    (
        "slots are the same",
        "en.toml",
        "Tap to open your key for {hotel}.",
        "Tap to open {your key for {hotel}.",
    ),
    ("slots are the same", "fa-AF.toml", "{solar_day} {solar_month} ({day}", "({day}"),
    ("slots are the same", "letter.html", "<title>{subject}</title>", "<title>{hotel}</title>"),
    ("secrets keep away", "en.toml", "Tap to see your new code for", "Your new code {pin} for"),
    (
        "secrets keep away",
        "ps.toml",
        'push_title = "ستاسو کیلي چمتو ده"',
        'push_title = "ستاسو کیلي {rooms}"',
    ),
    ("secrets keep away", "en.toml", "Your door code for {hotel}", "Your door code {pin} for {hotel}"),
    ("secrets keep away", "en.toml", "Your mobile key is ready. Please", "PIN {pin}. Please"),
    ("secrets keep away", "fr.toml", "Votre clé est prête", "Votre code 4821"),
    ("secrets keep away", "fa-AF.toml", "کلید شما آماده است", "کلید شما ۴۸ ۲۱"),
    ("letters are right", "fa-AF.toml", "کارت از", "كارت از"),
    ("letters are right", "ar.toml", "مفتاحكم جاهز", "مفتاحکم جاهز"),
    ("letters are right", "ps.toml", 'button = "زما کیلي پرانیزئ"', 'button = "زما key پرانیزئ"'),
    ("letters are right", "fr.toml", 'button = "Ouvrir ma clé"', 'button = "Open my key"'),
    ("letters are right", "ar.toml", "بطاقة المفتاح جاهزة لكم في مكتب", "ﻣفتاح لكم في مكتب"),
    ("lines run their way", "ar.toml", "الأبواب: {rooms}", f"الأبواب: {LRI}{{rooms}}"),
    ("letters are right", "ps.toml", "ګران مېلمه", "گران مېلمه"),
    ("letters are right", "fa-AF.toml", '"جنوری", "فبروری"', '"يناير", "فبروری"'),
    ("letters are right", "fr.toml", "Bien cordialement,", "With kind regards,"),
    ("secrets keep away", "en.toml", "please call {phone}", "please call 0700 123 456 or {phone}"),
    ("lines run their way", "ar.toml", "يعمل الرمز من {opens} إلى", "{opens} يعمل الرمز إلى"),
    ("lines run their way", "fa-AF.toml", "با احترام،", f"با احترام،{PDI}"),
    ("lines run their way", "fr.toml", "Portes : {rooms}", f"Portes : {{rooms}}{PDI}"),
    ("lines run their way", "ps.toml", "دروازې: {rooms}", f"{RLO}دروازې: {{rooms}}"),
    ("lines run their way", "ps.toml", "په {hotel} کې ستاسو د موبایل کیلي", "{hotel}: ستاسو د موبایل کیلي"),
    ("lines run their way", "en.toml", "Details: {link}", "Details: {link}."),
    ("lines run their way", "letter.html", '<tr><td dir="{dir}" align="center"', '<tr><td align="center"'),
    ("SMS are short", "ar.toml", "مفتاحكم متوقف مؤقتًا. يُرجى", "مفتاحكم متوقف مؤقتًا. يُرجى " + "الاتصال " * 8),
    (
        "SMS are short",
        "en.toml",
        "paused for the moment. Please",
        "paused for the moment. Please " + "do " * 80,
    ),
    ("pushes are short", "fr.toml", '"Votre clé est suspendue"', '"' + "Votre clé est suspendue " * 3 + '"'),
    ("pushes are short", "en.toml", "Please contact the front desk of", "Please " + "do " * 30 + "contact"),
    ("HTML stands alone", "letter.html", "{rows}", '{rows}<img src="https://t.example/p.gif" alt="">'),
    ("HTML stands alone", "letter.html", "</head>", "<style>b{color:red}</style></head>"),
    (
        "HTML stands alone",
        "letter.html",
        "</head>",
        '<link rel="stylesheet" href="https://t.example/a.css"></head>',
    ),
    ("HTML stands alone", "letter.html", "margin:0", "background:url(https://t.example/p.gif)"),
    ("HTML stands alone", "letter.html", "</body>", "<script>track()</script></body>"),
    ("HTML stands alone", "letter.html", "<body ", '<body onload="track()" '),
    ("text equals HTML", "letter.html", "{rows}", '{rows}<tr><td dir="{dir}">Book again!</td></tr>'),
]
"""The rule, and what is exchanged for what in which file."""


@pytest.fixture
def folder(tmp_path):
    """A copy of our texts to break."""
    return shutil.copytree(FOLDER, tmp_path / "texts")


def rules_broken(folder):
    return {complaint.rule for complaint in lint(read_texts(folder))}


def test_our_texts_are_right():
    assert [str(complaint) for complaint in lint(our_texts())] == []


@pytest.mark.parametrize(("rule", "file", "old", "new"), PLANTS)
def test_a_broken_text_is_caught_by_its_rule_alone(folder, rule, file, old, new):
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    expected = {rule} | ({"text equals HTML"} if "<script" in new else set())
    assert rules_broken(folder) == expected


def test_every_rule_has_a_plant():
    assert {rule for rule, *_ in PLANTS} == {*WRITTEN, *SHOWN}


def test_a_missing_or_foreign_language_is_told(folder):
    (folder / "ps.toml").rename(folder / "de.toml")
    told = [str(complaint) for complaint in lint(read_texts(folder))]
    assert told == [
        "texts: texts are complete: ps is missing. Write it",
        "texts: texts are complete: de is not known. Take it out, or add it to the table",
    ]


def test_a_complaint_says_where_and_what_to_do(folder):
    path = folder / "fr.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("code de porte est {pin}", "code de porte est"))
    (first, _) = lint(read_texts(folder))
    assert str(first) == "fr/pin_code.delivered/sms: slots are the same: pin is missing. Write it"
