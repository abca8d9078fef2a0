"""What a guest is told at a door that did not open: one sentence, in the hotel's five languages.

They name no code, no guest and no other stay. What stands in braces is filled in: `from` and `until` by the
clock on the hotel's wall, `rooms` as the hotel calls them.
"""

from collections.abc import Mapping
from typing import Final

LOCALES: Final = ("en", "fr", "ar", "ps", "fa-AF")
SENTENCES: Final[Mapping[str, tuple[str, str, str, str, str]]] = {
    "early": (
        "Your key works from {from}.",
        "Votre clé fonctionne à partir du {from}.",
        "يعمل مفتاحك ابتداءً من {from}.",
        "ستاسو کیلي له {from} څخه کار کوي.",
        "کلید شما از {from} کار می‌کند.",
    ),
    "over": (
        "Your stay ended at {until}. Please come to the desk.",
        "Votre séjour a pris fin le {until}. Veuillez passer à la réception.",
        "انتهت إقامتك في {until}. يُرجى مراجعة الاستقبال.",
        "ستاسو استوګنه په {until} پای ته ورسېده. مهرباني وکړئ استقبال ته راشئ.",
        "اقامت شما در {until} به پایان رسید. لطفاً به پذیرش بیایید.",
    ),
    "desk": (
        "Please come to the desk: we will open for you.",
        "Veuillez passer à la réception : nous vous ouvrirons.",
        "يُرجى التوجه إلى الاستقبال: سنفتح لك الباب.",
        "مهرباني وکړئ استقبال ته راشئ: موږ به دروازه درته خلاصه کړو.",
        "لطفاً به پذیرش بیایید: ما در را برای شما باز می‌کنیم.",
    ),
    "other_door": (
        "This is not your door. Your rooms: {rooms}.",
        "Ce n'est pas votre porte. Vos chambres : {rooms}.",
        "هذا ليس بابك. غرفك: {rooms}.",
        "دا ستاسو دروازه نه ده. ستاسو خونې: {rooms}.",
        "این در شما نیست. اتاق‌های شما: {rooms}.",
    ),
    "again": (
        "Wake the keypad, type the code slowly, then confirm it.",
        "Réveillez le clavier, tapez le code lentement, puis validez.",
        "نشّط لوحة الأرقام، واكتب الرمز ببطء، ثم أكّده.",
        "د شمېرو تخته ویښه کړئ، کوډ ورو ولیکئ، بیا یې تایید کړئ.",
        "صفحهٔ کلید را فعال کنید، رمز را آهسته بنویسید و سپس تأیید کنید.",
    ),
}


def sentences(name: str, said: Mapping[str, str]) -> dict[str, str]:
    """Return a sentence in every language."""
    return {locale: text.format_map(said) for locale, text in zip(LOCALES, SENTENCES[name], strict=True)}
