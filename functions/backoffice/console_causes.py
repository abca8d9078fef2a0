"""Why a door refused, and what a desk does about it: in five languages, and without a terminal."""

from collections.abc import Mapping
from typing import Final

from functions.backoffice.console_terms import ORDER
from shared.messages.locales import Locale

_BLOCKS: Final = """
set_aside
A message about the stay was set aside | See “Set aside”: mend what it says, then deliver it again
Un message du séjour est mis de côté | Voir « Mis de côté » : corriger, puis rejouer
پیامی دربارهٔ اقامت کنار گذاشته شد | «کنار گذاشته‌شده» را ببینید: درست کنید و دوباره بفرستید
د استوګنې یو پیغام څنګ ته ایښودل شوی | «څنګ ته ایښودل شوي» وګورئ: سم یې کړئ او بیا یې ولېږئ
رسالة عن الإقامة نُحّيت جانبًا | انظر «مُنحّاة»: صحّح ما فيها ثم أعد إرسالها
unknown_stay
Nobody knows this stay | Ask who booked it, and book it; its key follows
Séjour inconnu | Demander qui a réservé, puis réserver ; la clé suit
این اقامت شناخته نیست | بپرسید چه کسی رزرو کرده و رزرو کنید؛ کلیدش می‌آید
دا استوګنه نه ده پېژندل شوې | وپوښتئ چا ریزرف کړې، ریزرف یې کړئ؛ کیلي یې راځي
الإقامة غير معروفة | اسأل من حجزها ثم احجزها؛ يتبعها مفتاحها
refused
The booking was refused | Correct its rooms or dates, and send it anew
La réservation est refusée | Corriger chambres ou dates, puis la renvoyer
رزرو رد شده است | اتاق‌ها یا تاریخ‌ها را درست کنید و دوباره بفرستید
ریزرف رد شوی دی | خونې یا نېټې یې سمې کړئ او بیا یې ولېږئ
الحجز مرفوض | صحّح الغرف أو التواريخ وأرسله من جديد
stay_over
The stay is over | If the guest is to stay, confirm the booking again
Le séjour est fini | Si le client reste, confirmer à nouveau la réservation
اقامت به پایان رسیده است | اگر مهمان می‌ماند، رزرو را دوباره تأیید کنید
استوګنه پای ته رسېدلې | که مېلمه پاتې کېږي، ریزرف بیا تایید کړئ
انتهت الإقامة | إن كان الضيف باقيًا فأكّد الحجز من جديد
change_ignored
A change was older than what is known | Send the change again, as of now
Une modification était périmée | Renvoyer la modification, datée de maintenant
یک تغییر کهنه‌تر از دانسته‌ها بود | تغییر را با وقت حالا دوباره بفرستید
یو بدلون تر معلوماتو زوړ و | بدلون د اوس په وخت بیا ولېږئ
تغييرٌ أقدم من المعروف | أعد إرسال التغيير بتاريخ الآن
other_door
This is not the guest’s door | Bring the guest to their own door
Ce n’est pas la porte du client | Conduire le client à sa porte
این دروازهٔ مهمان نیست | مهمان را به دروازهٔ خودش ببرید
دا د مېلمه دروازه نه ده | مېلمه خپلې دروازې ته بوځئ
ليس هذا باب الضيف | رافق الضيف إلى بابه
held
The stay is held | See to what holds it, then release the stay
Le séjour est suspendu | Régler la cause, puis libérer le séjour
اقامت متوقف است | علت توقف را حل کنید، سپس اقامت را آزاد کنید
استوګنه درول شوې ده | د درولو علت حل کړئ، بیا استوګنه خوشې کړئ
الإقامة موقوفة | عالج سبب الإيقاف ثم حرّر الإقامة
too_early
The stay has not begun | Wait, or begin the stay earlier: the code stays the same
Le séjour n’a pas commencé | Attendre, ou l’avancer : le code reste le même
اقامت هنوز آغاز نشده است | صبر کنید یا اقامت را زودتر آغاز کنید: رمز همان می‌ماند
استوګنه لا نه ده پیل شوې | صبر وکړئ یا یې مخکې پیل کړئ: کوډ هماغه پاتې کېږي
لم تبدأ الإقامة بعد | انتظر أو قدّم بدايتها: يبقى الرمز نفسه
too_late
The stay’s time is over | Extend the stay, or check the guest out
Le temps du séjour est écoulé | Prolonger le séjour, ou enregistrer le départ
وقت اقامت گذشته است | اقامت را تمدید کنید یا خروج مهمان را ثبت کنید
د استوګنې وخت تېر شوی | استوګنه وغځوئ یا د مېلمه وتل ثبت کړئ
انقضى وقت الإقامة | مدّد الإقامة أو سجّل المغادرة
key_failed
The key could not be made | Open by hand; then ask the vendor again under “Under way”
La clé n’a pas pu être créée | Ouvrir à la main ; puis redemander sous « En cours »
کلید ساخته نشد | با دست باز کنید؛ سپس در «در جریان» دوباره بپرسید
کیلي جوړه نه شوه | په لاس یې خلاصه کړئ؛ بیا په «روان کارونه» کې وپوښتئ
تعذّر إنشاء المفتاح | افتح يدويًا ثم اسأل المورد ثانية في «قيد التنفيذ»
key_waiting
The key is yet to be made | Open by hand; then ask the vendor again under “Under way”
La clé n’est pas encore créée | Ouvrir à la main ; puis redemander sous « En cours »
کلید هنوز ساخته نشده است | با دست باز کنید؛ سپس در «در جریان» دوباره بپرسید
کیلي لا نه ده جوړه شوې | په لاس یې خلاصه کړئ؛ بیا په «روان کارونه» کې وپوښتئ
لم يُنشأ المفتاح بعد | افتح يدويًا ثم اسأل المورد ثانية في «قيد التنفيذ»
change_not_at_lock
The lock has not heard of the change | Open by hand; see that its gateway has power and network
La serrure ignore la modification | Ouvrir à la main ; vérifier la passerelle
تغییر به قفل نرسیده است | با دست باز کنید؛ برق و شبکهٔ گیت‌وی را ببینید
بدلون قلف ته نه دی رسېدلی | په لاس یې خلاصه کړئ؛ د ګېټوې برېښنا او شبکه وګورئ
لم يصل التغيير إلى القفل | افتح يدويًا وتحقق من كهرباء البوابة وشبكتها
key_gone
The key is gone from the lock | Open by hand; it is placed again, or somebody has to say so
La clé a disparu de la serrure | Ouvrir à la main ; elle est reposée, ou sur demande
کلید از قفل رفته است | با دست باز کنید؛ دوباره گذاشته می‌شود یا کسی باید بگوید
کیلي له قلفه ورکه ده | په لاس یې خلاصه کړئ؛ بیا اېښودل کېږي یا باید څوک ووايي
اختفى المفتاح من القفل | افتح يدويًا؛ يُعاد وضعه أو يطلب ذلك شخص
lock_emptied
The lock was reset | Open by hand; have all its keys placed again
La serrure a été réinitialisée | Ouvrir à la main ; faire reposer toutes ses clés
قفل خالی شده است | با دست باز کنید؛ همهٔ کلیدهایش باید دوباره گذاشته شود
قلف تش شوی دی | په لاس یې خلاصه کړئ؛ ټولې کیلۍ یې باید بیا کېښودل شي
أُعيد ضبط القفل | افتح يدويًا واطلب إعادة كل مفاتيحه
key_altered
The key at the lock is not as it should be | Open by hand; have it placed again
La clé n’est pas comme elle doit être | Ouvrir à la main ; la faire reposer
کلید در قفل آن‌گونه که باید نیست | با دست باز کنید؛ باید دوباره گذاشته شود
کیلي په قلف کې سمه نه ده | په لاس یې خلاصه کړئ؛ باید بیا کېښودل شي
المفتاح في القفل ليس كما ينبغي | افتح يدويًا واطلب إعادة وضعه
no_battery
The lock’s battery is empty | Open with the emergency supply or a mechanical key; change the battery
La batterie est vide | Ouvrir par l’alimentation de secours ou la clé ; la changer
باتری قفل خالی است | با برق اضطراری یا کلید معمولی باز کنید؛ باتری را عوض کنید
د قلف بټرۍ تشه ده | په بېړنۍ برېښنا یا عادي کیلي یې خلاصه کړئ؛ بټرۍ بدله کړئ
بطارية القفل فارغة | افتح بالتغذية الطارئة أو بمفتاح عادي وبدّل البطارية
lock_frozen
The lock is frozen: it opens to nobody | Open by hand; have it unfrozen in the vendor’s app
La serrure est gelée : elle n’ouvre à personne | Ouvrir à la main ; la dégeler dans l’application
قفل منجمد است: برای کسی باز نمی‌شود | با دست باز کنید؛ در برنامهٔ سازنده آزادش کنید
قلف کنګل دی: چا ته نه خلاصېږي | په لاس یې خلاصه کړئ؛ د جوړوونکي په اپ کې یې خوشې کړئ
القفل مجمّد: لا يفتح لأحد | افتح يدويًا وألغِ تجميده في تطبيق المورد
lock_silent
The lock is not heard | Open by hand; see that lock and gateway have power
La serrure ne répond pas | Ouvrir à la main ; vérifier l’alimentation
قفل شنیده نمی‌شود | با دست باز کنید؛ برق قفل و گیت‌وی را ببینید
قلف نه اورېدل کېږي | په لاس یې خلاصه کړئ؛ د قلف او ګېټوې برېښنا وګورئ
القفل لا يُسمع | افتح يدويًا وتحقق من كهرباء القفل والبوابة
lock_clock
The lock’s clock is wrong | Open by hand; have its clock set in the vendor’s app
L’horloge de la serrure est fausse | Ouvrir à la main ; la régler dans l’application
ساعت قفل غلط است | با دست باز کنید؛ ساعتش را در برنامهٔ سازنده درست کنید
د قلف ساعت غلط دی | په لاس یې خلاصه کړئ؛ ساعت یې د جوړوونکي په اپ کې سم کړئ
ساعة القفل خاطئة | افتح يدويًا واضبط ساعته في تطبيق المورد
lock_swapped
Another lock hangs at this door | Open by hand; have the lock that hangs there mapped
Une autre serrure est à cette porte | Ouvrir à la main ; faire affecter celle qui y est
قفل دیگری بر این دروازه است | با دست باز کنید؛ قفلی که آنجاست باید ثبت شود
پر دې دروازه بل قلف دی | په لاس یې خلاصه کړئ؛ هماغه قلف باید ثبت شي
على هذا الباب قفل آخر | افتح يدويًا واطلب ربط القفل الموجود
nothing_found
Nothing is known that is wrong | Ask the lock now; have the code typed slowly
Rien d’anormal n’est connu | Sonder la serrure ; taper le code lentement
چیز نادرستی معلوم نیست | حالا از قفل بپرسید؛ رمز را آهسته بنویسند
کومه ستونزه نه ده معلومه | اوس له قلف نه وپوښتئ؛ کوډ دې ورو ولیکل شي
لا خلل معروف | اسأل القفل الآن واطلب كتابة الرمز ببطء
"""
_BLOCK: Final = 1 + len(ORDER)


def _read(blocks: str) -> dict[str, dict[Locale, tuple[str, str]]]:
    lines = blocks.strip().splitlines()
    told = dict[str, dict[Locale, tuple[str, str]]]()
    for at in range(0, len(lines), _BLOCK):
        pairs = [line.partition(" | ") for line in lines[at + 1 : at + _BLOCK]]
        told[lines[at]] = {
            locale: (why, remedy) for locale, (why, _, remedy) in zip(ORDER, pairs, strict=True)
        }
    return told


CAUSES: Final[Mapping[str, Mapping[Locale, tuple[str, str]]]] = _read(_BLOCKS)
