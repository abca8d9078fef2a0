"""What a code of ours means, in five languages: two lines a code, and each code has each language.

Machines read the code; people read what it means, and the code behind it, as the runbooks name it.
"""

import re
from collections.abc import Mapping
from typing import Final

from functions.backoffice.console_terms import ORDER
from shared.messages.locales import Locale

_ENDS: Final = """
vendor_unreachable | the vendor cannot be reached | fournisseur injoignable
سازنده در دسترس نیست | جوړوونکي ته لاسرسی نشته | تعذّر الوصول إلى المورد
key_issue_failed | the vendor made no key | le fournisseur n’a pas créé de clé
سازنده کلیدی نساخت | جوړوونکي کیلي جوړه نه کړه | لم يُنشئ المورد مفتاحًا
key_revoke_failed | the key could not be taken back | la clé n’a pas pu être retirée
کلید پس گرفته نشد | کیلي بېرته وانه خیستل شوه | تعذّر سحب المفتاح
device_not_paired | a door has no lock that is known | une porte n’a pas de serrure connue
دروازه‌ای قفل شناخته ندارد | یوه دروازه پېژندل شوی قلف نه لري | باب بلا قفل معروف
credential_expired | the stay was over before | le séjour était déjà fini
اقامت پیش از آن تمام شده بود | استوګنه تر هغه مخکې پای ته رسېدلې وه | انتهت الإقامة قبل ذلك
card_encoder_offline | the desk’s encoder does not answer | l’encodeur de la réception ne répond pas
دستگاه کارت پذیرش پاسخ نمی‌دهد | د استقبال د کارت ماشین ځواب نه ورکوي | جهاز البطاقات في الاستقبال لا يجيب
no_supported_kind | no kind of key opens all these doors | aucune sorte de clé n’ouvre toutes ces portes
هیچ نوع کلید همهٔ این دروازه‌ها را باز نمی‌کند | هېڅ ډول کیلي دا ټولې دروازې نه خلاصوي | لا نوع مفتاح يفتحها كلها
checkout | checked out | départ enregistré
خروج ثبت شد | وتل ثبت شول | سُجّلت المغادرة
cancellation | the booking was cancelled | réservation annulée
رزرو لغو شد | ریزرف لغوه شو | أُلغي الحجز
security | for safety | par sécurité
برای امنیت | د امنیت لپاره | لأسباب أمنية
lost | the key was lost | clé perdue
کلید گم شد | کیلي ورکه شوه | فُقد المفتاح
replaced | another key took its place | remplacée par une autre clé
کلید دیگری جایش را گرفت | بلې کیلي یې ځای ونیو | حلّ محله مفتاح آخر
no_show | the guest did not come | client non présenté
مهمان نیامد | مېلمه رانغی | لم يحضر الضيف
fraud_review | fraud is being looked into | contrôle de fraude
بررسی تقلب | د درغلۍ پلټنه | مراجعة احتيال
overdue_payment | a payment is overdue | paiement en retard
پرداخت دیر شده است | تادیه ځنډېدلې ده | دفعة متأخرة
manual | on somebody’s word | sur décision du personnel
به گفتهٔ کارمند | د کارکوونکي په خبره | بأمر من موظف
"""
_WARNINGS: Final = """
REVOKE_PENDING_AT_LOCK | another code may still open the lock | un autre code ouvre peut-être encore
شاید رمز دیگری هنوز باز کند | ښايي بل کوډ لا خلاصوي | قد يفتح رمز آخر القفل بعد
WINDOW_ROUNDED | the lock opens at other times than booked | la serrure ouvre à d’autres heures que réservé
قفل در ساعت دیگری از رزرو باز می‌کند | قلف له ریزرف نه په بل وخت خلاصېږي | يفتح القفل في أوقات غير المحجوزة
OPENS_BEYOND_STAY | it opens before and after the stay | elle ouvre avant et après le séjour
پیش و پس از اقامت هم باز می‌کند | له استوګنې مخکې او وروسته هم خلاصوي | يفتح قبل الإقامة وبعدها
WINDOW_NOT_ENFORCED_BY_LOCK | the lock knows no times | la serrure ignore les heures
قفل وقت نمی‌شناسد | قلف وخت نه پېژني | القفل لا يعرف الأوقات
CLOCK_SKEW | the lock’s clock is minutes off | l’horloge de la serrure est décalée
ساعت قفل چند دقیقه غلط است | د قلف ساعت څو دقیقې غلط دی | ساعة القفل منحرفة بدقائق
CLOCK_SKEW_ALERT | the lock’s clock is over ten minutes off | l’horloge est décalée de plus de dix minutes
ساعت قفل بیش از ده دقیقه غلط است | د قلف ساعت تر لسو دقیقو زیات غلط دی | ساعة القفل منحرفة أكثر من عشر دقائق
ROOM_SHARED | another booking has the room at this time | une autre réservation a la chambre
رزرو دیگری همین وقت این اتاق را دارد | بل ریزرف په همدې وخت دا خونه لري | حجز آخر له الغرفة في الوقت نفسه
OFFLINE_VALIDITY | the lock hears of it when next opened | la serrure l’apprendra à l’ouverture
قفل هنگام باز شدن بعدی آگاه می‌شود | قلف به په بل خلاصېدو خبر شي | يعلم القفل به عند الفتح التالي
NO_LOCK_OF_ITS_OWN | a room has no known lock of its own | une chambre n’a pas de serrure propre
اتاقی قفل شناختهٔ خود ندارد | یوه خونه خپل پېژندل شوی قلف نه لري | غرفة بلا قفل خاص معروف
SCOPE_NOT_SUPPORTED | these locks know no floors or areas | ces serrures ignorent étages et espaces
این قفل‌ها طبقه و بخش نمی‌شناسند | دا قلفونه پوړونه او برخې نه پېژني | هذه الأقفال لا تعرف الطوابق والمناطق
"""
_SILENCE: Final = """
timeout | no answer in time | pas de réponse à temps
پاسخ به‌موقع نیامد | پر وخت ځواب رانغی | لا جواب في الوقت
no_connection | no connection to the vendor | pas de connexion au fournisseur
اتصال به سازنده نیست | له جوړوونکي سره اتصال نشته | لا اتصال بالمورد
connection_broken | the connection broke off | connexion interrompue
اتصال قطع شد | اتصال پرې شو | انقطع الاتصال
server_error | the vendor has a fault of its own | panne chez le fournisseur
مشکل در سازنده است | د جوړوونکي خپله ستونزه ده | عطل لدى المورد
unreadable_answer | the vendor’s answer cannot be read | réponse illisible du fournisseur
پاسخ سازنده خوانده نمی‌شود | د جوړوونکي ځواب نه لوستل کېږي | جواب المورد غير مقروء
circuit_open | the vendor is left alone for a moment, for it failed | fournisseur en panne, laissé au repos
سازنده خراب است و لحظه‌ای رها شده | جوړوونکی خراب دی، یوه شېبه پرېښودل شوی | المورد معطل فتُرك لحظة
throttled | asked too often | trop de demandes
درخواست زیاد | ډېرې غوښتنې | طلبات كثيرة
in_our_line | waits for its turn | attend son tour
در نوبت است | په نوبت کې دی | ينتظر دوره
gateway_busy | the gateway is busy | passerelle occupée
گیت‌وی مشغول است | ګېټوې بوخت دی | البوابة مشغولة
maintenance | the vendor is in maintenance | maintenance chez le fournisseur
سازنده در حال نگهداری است | جوړوونکی د ساتنې په حال کې دی | المورد في صيانة
too_early | the stay has not begun | le séjour n’a pas commencé
اقامت آغاز نشده است | استوګنه نه ده پیل شوې | لم تبدأ الإقامة
account_missing | the hotel has no account at the vendor | l’hôtel n’a pas de compte chez le fournisseur
هوتل حسابی نزد سازنده ندارد | هوټل له جوړوونکي سره حساب نه لري | لا حساب للفندق لدى المورد
account_shared | another hotel has the same account | un autre hôtel a le même compte
هوتل دیگری همین حساب را دارد | بل هوټل همدا حساب لري | لفندق آخر الحساب نفسه
account_refused | the vendor refuses the account | compte refusé par le fournisseur
سازنده حساب را رد کرد | جوړوونکي حساب رد کړ | رفض المورد الحساب
token_refused | the vendor refuses the account’s token | jeton refusé par le fournisseur
سازنده توکن را رد کرد | جوړوونکي توکن رد کړ | رفض المورد رمز الحساب
wrong_region | the account is of another region | compte d’une autre région
حساب از منطقهٔ دیگر است | حساب د بلې سیمې دی | الحساب من منطقة أخرى
clock_off | our clock is wrong | notre horloge est fausse
ساعت ما غلط است | زموږ ساعت غلط دی | ساعتنا خاطئة
rate_limited | the vendor wants fewer calls | le fournisseur veut moins d’appels
سازنده درخواست کمتر می‌خواهد | جوړوونکی لږې غوښتنې غواړي | المورد يطلب نداءات أقل
quota_spent | the month’s calls are used up | appels du mois épuisés
درخواست‌های ماه تمام شد | د میاشتې غوښتنې خلاصې شوې | نفدت نداءات الشهر
no_permission | the account may not do this | le compte n’en a pas le droit
حساب اجازهٔ این کار را ندارد | حساب د دې اجازه نه لري | لا يملك الحساب هذا الإذن
job_unanswered | what was begun was never answered | une tâche est restée sans réponse
کار آغازشده پاسخی نگرفت | پیل شوی کار ځواب ونه موند | بدأ عمل ولم يأت جوابه
no_such_job | the vendor forgot what was begun | le fournisseur a oublié la tâche
سازنده کار را فراموش کرد | جوړوونکي کار هېر کړ | نسي المورد العمل
"""
_LOCKS: Final = """
gateway_offline | the lock’s gateway is offline | passerelle de la serrure hors ligne
گیت‌وی قفل خاموش است | د قلف ګېټوې بند دی | بوابة القفل غير متصلة
no_gateway | no gateway reaches the lock | aucune passerelle n’atteint la serrure
هیچ گیت‌وی به قفل نمی‌رسد | هېڅ ګېټوې قلف ته نه رسېږي | لا بوابة تصل إلى القفل
encoder_offline | the desk’s encoder does not answer | l’encodeur de la réception ne répond pas
دستگاه کارت پذیرش پاسخ نمی‌دهد | د استقبال د کارت ماشین ځواب نه ورکوي | جهاز البطاقات في الاستقبال لا يجيب
lock_busy | the lock is busy | serrure occupée
قفل مشغول است | قلف بوخت دی | القفل مشغول
lock_full | the lock has no room for another key | serrure pleine
قفل جای کلید دیگری ندارد | قلف د بلې کیلي ځای نه لري | لا مكان لمفتاح آخر في القفل
lock_frozen | the lock is frozen: it opens to nobody | serrure gelée : elle n’ouvre à personne
قفل منجمد است: برای کسی باز نمی‌شود | قلف کنګل دی: چا ته نه خلاصېږي | القفل مجمّد: لا يفتح لأحد
no_such_lock | the vendor knows no such lock | serrure inconnue du fournisseur
سازنده چنین قفلی نمی‌شناسد | جوړوونکی داسې قلف نه پېژني | المورد لا يعرف هذا القفل
not_provisioned | the lock is not set up at the vendor | serrure non configurée chez le fournisseur
قفل نزد سازنده آماده نشده است | قلف له جوړوونکي سره نه دی چمتو | القفل غير مهيّأ لدى المورد
not_mapped | the lock is mapped to no room | serrure sans chambre affectée
قفل به اتاقی وصل نیست | قلف له خونې سره نه دی تړل شوی | القفل غير مربوط بغرفة
lock_swapped | another lock hangs at this door | une autre serrure est à cette porte
قفل دیگری بر این دروازه است | پر دې دروازه بل قلف دی | على هذا الباب قفل آخر
room_without_lock | the room has no lock that is known | chambre sans serrure connue
اتاق قفل شناخته ندارد | خونه پېژندل شوی قلف نه لري | غرفة بلا قفل معروف
scope_without_lock | no lock leads there | aucune serrure n’y mène
هیچ قفلی به آنجا نمی‌رسد | هېڅ قلف هلته نه رسېږي | لا قفل يؤدي إلى هناك
adapter_lost | nobody did the work on the key | le travail sur la clé n’a pas été fait
کار کلید انجام نشد | د کیلي کار ونه شو | لم يُنجز العمل على المفتاح
attempts_spent | all six attempts are used | les six essais sont épuisés
هر شش کوشش تمام شد | شپږ واړه هڅې خلاصې شوې | نفدت المحاولات الست
pin_taken | the lock has this code already | la serrure a déjà ce code
قفل همین رمز را دارد | قلف همدا کوډ لري | الرمز موجود في القفل
pin_refused | the lock refuses this code | la serrure refuse ce code
قفل این رمز را نمی‌پذیرد | قلف دا کوډ نه مني | يرفض القفل هذا الرمز
receiver_refused | the guest’s account is refused | compte du client refusé
حساب مهمان رد شد | د مېلمه حساب رد شو | رُفض حساب الضيف
card_missing | no card lies on the encoder | pas de carte sur l’encodeur
کارتی روی دستگاه نیست | پر ماشین کارت نشته | لا بطاقة على الجهاز
card_faulty | the card cannot be written | carte défectueuse
کارت نوشته نمی‌شود | کارت نه لیکل کېږي | تعذّرت كتابة البطاقة
window_spent | codes for these hours are used up | codes épuisés pour ces heures
رمزهای این ساعت‌ها تمام شد | د دې ساعتونو کوډونه خلاص شول | نفدت رموز هذه الساعات
window_over | the stay was over before | le séjour était déjà fini
اقامت پیش از آن تمام شده بود | استوګنه تر هغه مخکې پای ته رسېدلې وه | انتهت الإقامة قبل ذلك
secret_missing | nobody knows what the key is made of | de quoi faire la clé, nul ne le sait
معلوم نیست کلید از چه ساخته شود | معلومه نه ده کیلي له څه جوړه شي | لا يُعرف مما يُصنع المفتاح
kind_not_offered | the lock has no such kind of key | la serrure n’a pas cette sorte de clé
قفل این نوع کلید را ندارد | قلف دا ډول کیلي نه لري | ليس في القفل هذا النوع
not_supported | the lock cannot do this | la serrure ne sait pas le faire
قفل این را نمی‌تواند | قلف دا نه شي کولای | القفل لا يستطيع ذلك
not_changeable | the key cannot be changed | la clé ne peut être modifiée
کلید تغییر نمی‌پذیرد | کیلي نه شي بدلېدای | لا يمكن تغيير المفتاح
no_such_key | the vendor knows no such key | clé inconnue du fournisseur
سازنده چنین کلیدی نمی‌شناسد | جوړوونکی داسې کیلي نه پېژني | المورد لا يعرف هذا المفتاح
ends_by_time | carried by the guest: it ends by itself | portée par le client : elle finit seule
نزد مهمان است: خودش تمام می‌شود | له مېلمه سره ده: پخپله پای ته رسېږي | يحمله الضيف: ينتهي من تلقائه
bad_request | the vendor did not understand | demande incomprise du fournisseur
سازنده درخواست را نفهمید | جوړوونکي غوښتنه ونه پوهېده | لم يفهم المورد الطلب
second_code | the lock has a second code | la serrure a un second code
قفل رمز دومی دارد | قلف دویم کوډ لري | في القفل رمز ثانٍ
"""
_DOORS: Final = """
unknown_credential | nobody knows this key | clé inconnue
این کلید شناخته نیست | دا کیلي نه ده پېژندل شوې | المفتاح غير معروف
other_door | not this key’s door | ce n’est pas la porte de cette clé
دروازهٔ این کلید نیست | د دې کیلي دروازه نه ده | ليس باب هذا المفتاح
not_yet_valid | its time has not come | pas encore valable
وقتش نرسیده است | وخت یې نه دی رارسېدلی | لم يحن وقته
expired | its time is over | périmée
وقتش گذشته است | وخت یې تېر شوی | انتهى وقته
refused_by_lock | the lock refused | refusée par la serrure
قفل رد کرد | قلف رد کړه | رفضه القفل
unknown_key_opened | an unknown key opened | une clé inconnue a ouvert
کلیدی ناشناس باز کرد | ناپېژندل شوې کیلي خلاص کړ | فتح مفتاح مجهول
revoked_key_opened | a key that was taken back opened | une clé retirée a ouvert
کلید پس‌گرفته باز کرد | بېرته اخیستل شوې کیلي خلاص کړ | فتح مفتاح مسحوب
resting_key_opened | a key that rests opened | une clé suspendue a ouvert
کلید متوقف باز کرد | درول شوې کیلي خلاص کړ | فتح مفتاح موقوف
key_opened_another_door | a key opened another door than its own | une clé a ouvert une autre porte
کلید دروازهٔ دیگری باز کرد | کیلي بله دروازه خلاصه کړه | فتح مفتاح بابًا آخر
opened_before_its_time | opened before its time | ouverture avant l’heure
پیش از وقت باز شد | تر وخت مخکې خلاص شو | فُتح قبل وقته
opened_after_its_time | opened after its time | ouverture après l’heure
پس از وقت باز شد | تر وخت وروسته خلاص شو | فُتح بعد وقته
used_after_checkout | used after check-out | utilisée après le départ
پس از خروج به کار رفت | له وتلو وروسته کارول شوې | استُعمل بعد المغادرة
off_shift_use | used outside the shift | utilisée hors service
بیرون از نوبت کاری به کار رفت | له نوبت بهر کارول شوې | استُعمل خارج المناوبة
repeated_denials | refused again and again | refus répétés
چند بار رد شد | څو ځله رد شو | رفض متكرر
staff_in_occupied_room | staff in an occupied room | personnel dans une chambre occupée
کارمند در اتاق پُر | کارکوونکی په نیول شوې خونه کې | موظف في غرفة مشغولة
two_places_at_once | in two places at once | à deux endroits à la fois
همزمان در دو جا | په یوه وخت دوه ځایه | في مكانين معًا
mobile_key.invite | the key on the phone | la clé sur le téléphone
کلید روی تلفن | پر تلیفون کیلي | المفتاح على الهاتف
pin_code.delivered | the code | le code
رمز | کوډ | الرمز
rfid_card.ready_at_desk | the card that is ready at the desk | la carte prête à la réception
کارت آماده در پذیرش | په استقبال کې چمتو کارت | البطاقة الجاهزة في الاستقبال
qr_code.delivered | the QR code | le code QR
کد QR | د QR کوډ | رمز QR
pin_code.changed | the new code | le nouveau code
رمز نو | نوی کوډ | الرمز الجديد
key.times_changed | the key’s new times | les nouvelles heures de la clé
وقت‌های نو کلید | د کیلي نوي وختونه | أوقات المفتاح الجديدة
key.goes_on | that the key goes on | que la clé continue
کلید ادامه دارد | کیلي دوام لري | استمرار المفتاح
key.rests | that the key rests | que la clé est suspendue
کلید متوقف است | کیلي درول شوې | توقّف المفتاح
key.ended | that the key has ended | que la clé est finie
کلید تمام شد | کیلي پای ته ورسېده | انتهاء المفتاح
"""
SPEC: Final = "MELMASTOON.LOCK."
"""How the specification's codes begin; what follows is a code of ours in capitals."""
_CODE: Final = re.compile(r"(?<![\w.])(?:MELMASTOON\.LOCK\.[A-Z_]+|[A-Za-z]+(?:[_.][A-Za-z]+)+)(?![\w])")


def _read(lines: str) -> dict[str, dict[Locale, str]]:
    parts = [line.split(" | ") for line in lines.strip().splitlines()]
    rows = ((*first, *second) for first, second in zip(parts[::2], parts[1::2], strict=True))
    return {code: dict(zip(ORDER, words, strict=True)) for code, *words in rows}


REASONS: Final[Mapping[str, Mapping[Locale, str]]] = _read(
    f"{_ENDS}{_WARNINGS.lstrip()}{_SILENCE.lstrip()}{_LOCKS.lstrip()}{_DOORS.lstrip()}"
)


def meaning(code: str, locale: Locale = Locale.EN) -> str | None:
    """Return what a code means, without the code; None of one that is not known."""
    known = REASONS.get(code) or REASONS.get(code.removeprefix(SPEC).lower())
    return None if known is None else known[locale]


def in_words(code: str, locale: Locale = Locale.EN) -> str:
    """Return what a code means, with the code behind it; one that is not known is read as it is spelt."""
    words = meaning(code, locale)
    return f"{words} ({code})" if words else code.replace("_", " ")


def said_in_words(text: str, locale: Locale = Locale.EN) -> str:
    """Return a text of ours in which each code that is known stands behind what it means."""
    if meaning(text, locale):
        return in_words(text, locale)
    return _CODE.sub(lambda it: in_words(it[0], locale) if meaning(it[0]) else it[0], text)
