"""Reads every text in every language, and every message composed of them, before a guest does.

| rule                 | a message may go wrong by                                                        |
|----------------------|----------------------------------------------------------------------------------|
| texts are complete   | a language, message or part that is missing, or that nothing knows               |
| slots are the same   | a slot that a language forgot, or that nothing fills                             |
| secrets keep away    | a PIN, door or link on a locked screen, digits written out        |
| letters are right    | an untranslated text, a letter of a neighbouring alphabet                        |
| lines run their way  | an open isolate, a subject in the other script, a link with text after it         |
| SMS are short        | more segments than the kind is allowed, at the longest values                    |
| pushes are short     | more than a locked screen shows                                                  |
| HTML stands alone    | a picture, script or style from elsewhere                                        |
| text equals HTML     | words that only one of a letter's two forms has                                  |

The first five read what is written, the others what is shown: languages that fail those are not composed.
"""

from shared.messages.complaints import Complaint
from shared.messages.locales import Locale
from shared.messages.shown import SHOWN, composed
from shared.messages.texts import Catalogue
from shared.messages.written import WRITTEN


def lint(catalogue: Catalogue) -> list[Complaint]:
    """Return everything that is wrong with the texts, by rule."""
    found = [each for check in WRITTEN.values() for each in check(catalogue)]
    if any(each.where.startswith("letter.html") for each in found):
        return found
    broken = {each.where.partition("/")[0] for each in found}
    sound = [locale for locale in Locale if locale in catalogue.tongues and locale not in broken]
    samples = [sample for locale in sound for sample in composed(catalogue, locale)]
    return found + [each for rule in SHOWN.values() for sample in samples for each in rule(sample)]
