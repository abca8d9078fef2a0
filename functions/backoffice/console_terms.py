"""What the console calls things, in five languages: one line a word, and each line has each language."""

from collections.abc import Mapping
from typing import Final

from shared.messages.locales import Locale

ORDER: Final = (Locale.EN, Locale.FR, Locale.FA_AF, Locale.PS, Locale.AR)
_SCREENS: Final = """
ahead | Next days | Jours à venir | روزهای آینده | راتلونکې ورځې | الأيام القادمة
explain | Why refused | Pourquoi refusé | چرا رد شد | ولې رد شو | لماذا رُفض
attempts | Tried doors | Essais aux portes | کوشش در دروازه‌ها | په دروازو هڅې | محاولات الأبواب
anomalies | Odd | Anomalies | غیرعادی | نااشنا پېښې | حالات غريبة
bulk | Many at once | En masse | گروهی | ډله‌ییز | جماعي
locks | Locks | Serrures | قفل‌ها | قلفونه | الأقفال
mapping | Mapping | Affectation | نقشهٔ قفل‌ها | د قلفونو نقشه | ربط الأقفال
vendors | Vendors | Fournisseurs | سازندگان | جوړوونکي | الموردون
quota | Calls of the month | Appels du mois | درخواست‌های ماه | د میاشتې غوښتنې | طلبات الشهر
master_keys | Staff’s keys | Clés du personnel | کلیدهای کارمندان | د کارکوونکو کیلۍ | مفاتيح الموظفين
analytics | Figures | Chiffres | ارقام | شمېرې | الأرقام
audit | Audit log | Journal d’audit | دفتر بازرسی | د پلټنې دفتر | سجل التدقيق
messages | Messages | Messages | پیام‌ها | پیغامونه | الرسائل
proof | In the log | Dans le journal | در دفتر | په دفتر کې | في السجل
work | Work on a key | Travail sur une clé | کار روی کلید | پر کیلۍ کار | العمل على مفتاح
sandbox | Simulated doors | Portes simulées | دروازه‌های آزمایشی | ازمایښتي دروازې | أبواب المحاكاة
costs | Costs | Coûts | هزینه‌ها | لګښتونه | التكاليف
views | My views | Mes vues | نماهای من | زما لیدونه | طرق عرضي
history | Step by step | Pas à pas | گام به گام | ګام په ګام | خطوة بخطوة
"""
_COLUMNS: Final = """
about | About | Sujet | دربارهٔ | په اړه | بخصوص
battery | Battery | Batterie | باتری | بټرۍ | البطارية
by | By | Par | توسط | لخوا | بواسطة
channel | Way | Canal | راه | لار | القناة
clock | Clock | Horloge | ساعت | ساعت | الساعة
closed | Closed up to | Clos jusqu’au | بسته تا | تړل شوی تر | مغلق حتى
compared | Compared | Comparées | مقایسه‌شده | پرتله شوي | مقارنة
count | Number | Nombre | شمار | شمېر | العدد
field | Field | Champ | بخش | برخه | الحقل
firmware | Firmware | Micrologiciel | نرم‌افزار قفل | د قلف سافټویر | البرنامج الثابت
holds | Held for | Suspendu pour | توقف برای | ځنډ د | موقوف بسبب
kind | Kind | Sorte | نوع | ډول | النوع
line | Line | Ligne | سطر | کرښه | السطر
lost | Lost runs | Perdus | گم‌شده | ورک شوي | مفقود
broken | Broken runs | Interrompus | شکسته | مات شوي | متعطل
means | With | Avec | با | په | بواسطة وسيلة
missing_calls | Too few | Manquants | کمبود | کمښت | الناقص
monthly | A month | Par mois | در ماه | په میاشت کې | شهريًا
next | Next | Prochain | بعدی | بل | التالي
opens_what | Opens | Ouvre | باز می‌کند | خلاصوي | يفتح
outcome | Outcome | Résultat | نتیجه | پایله | النتيجة
pace | At most | Au plus | حداکثر | ډېر تر ډېره | الحد الأقصى
pages | Pages | Pages | صفحه‌ها | پاڼې | الصفحات
planned | Planned | Prévu | برنامه‌ریزی‌شده | پلان شوی | مخطط
proven | Proven at | Prouvée le | آزموده در | ازمویل شوی | أُثبت في
remedy | What to do | Que faire | چه باید کرد | څه وکړو | ما العمل
month | Month | Mois | ماه | میاشت | الشهر
cost | Cost | Coût | هزینه | لګښت | التكلفة
took | 95 in 100 made within | 95 % créées en | 95٪ ساخته‌شده در | 95٪ جوړې شوې په | 95٪ أُنشئت خلال
keys_there | Keys there | Clés présentes | کلیدهای آنجا | هلته کیلۍ | مفاتيح هناك
step | Step | Étape | گام | ګام | خطوة
view_name | Name of the view | Nom de la vue | نام نما | د لید نوم | اسم العرض
reserved | Reserved | Réservés | کنارگذاشته | ساتل شوي | محجوز
risks | At risk | Risques | خطرها | خطرونه | المخاطر
run | Run | Passage | نوبت | وار | الدورة
seen | Seen | Vue | دیده‌شده | لیدل شوی | شوهد
signed_by | Signed by | Signé par | امضا با | لاسلیک د | موقّع بـ
spent | Spent | Dépensés | مصرف‌شده | لګول شوي | المستهلك
told | Tell the guest | À dire au client | به مهمان بگویید | مېلمه ته ووایئ | قل للضيف
day | Day (UTC) | Jour (UTC) | روز (UTC) | ورځ (UTC) | اليوم (UTC)
issue_success | Keys that were made | Clés créées | کلیدهای ساخته‌شده | جوړې شوې کیلۍ | مفاتيح أُنشئت
issued | Made | Créées | ساخته‌شده | جوړې شوې | أُنشئ
left | Left at locks | Restées aux serrures | مانده در قفل | په قلف کې پاتې | بقي في الأقفال
lost_keys | Lost | Perdues | گم‌شده | ورکې | مفقود
minutes_saved | Time saved at the desk | Temps gagné à l’accueil | وقت صرفه‌جویی‌شده | سپما شوی وخت | وقت موفَّر
revoke_success | Taken back | Retirées | پس‌گرفته در قفل | په قلف کې اخیستل شوې | سُحب من القفل
revoked_within_5s | Within 5 s | En 5 s | پس‌گرفته در 5 ثانیه | په 5 ثانیو کې | سُحب خلال 5 ثوانٍ
usd_avoided | Lost keys: cost avoided | Clés perdues : coût évité | هزینهٔ نشده | نه شوی لګښت | كلفة مُتجنَّبة
waits | Time to take back | Délai de retrait | زمان پس‌گرفتن | د اخیستلو وخت | زمن السحب
within_5s | up to 5 s | jusqu’à 5 s | تا 5 ثانیه | تر 5 ثانیو | حتى 5 ث
within_30s | up to 30 s | jusqu’à 30 s | تا 30 ثانیه | تر 30 ثانیو | حتى 30 ث
within_5m | up to 5 min | jusqu’à 5 min | تا 5 دقیقه | تر 5 دقیقو | حتى 5 د
within_30m | up to 30 min | jusqu’à 30 min | تا 30 دقیقه | تر 30 دقیقو | حتى 30 د
longer | longer | plus long | بیشتر | ډېر | أطول
vendor | Vendor | Fournisseur | سازنده | جوړوونکی | المورد
week | Week | Semaine | هفته | اونۍ | الأسبوع
"""
_STATES: Final = """
requested | Requested | Demandée | درخواست‌شده | غوښتل شوې | مطلوب
pending | Being made | En préparation | در حال ساخت | جوړېږي | قيد الإعداد
active | Active | Active | فعال | فعاله | فعال
suspended | Suspended | Suspendue | معلق | ځنډول شوې | معلّق
revoked | Revoked | Révoquée | لغوشده | لغوه شوې | ملغى
intended | To be placed | À poser | برای گذاشتن | د ایښودو | سيوضع
placed | At the lock | Posée | در قفل | په قلف کې | في القفل
removing | Being removed | En retrait | در حال برداشتن | لرې کېږي | قيد الإزالة
removed | Removed | Retirée | برداشته‌شده | لرې شوې | أُزيل
residual | May still open | Ouvre peut-être | شاید هنوز باز کند | ښايي خلاص کړي | قد يفتح بعد
confirmed | Confirmed | Confirmé | تأییدشده | تایید شوی | مؤكد
cancelled | Cancelled | Annulé | لغوشده | لغوه شوی | ملغى
checked_out | Checked out | Parti | رفته | تللی | غادر
awaited | Awaited | Attendu | مورد انتظار | تمه کېږي | منتظر
applied | Applied | Appliqué | به کار رفت | پلي شو | طُبِّق
ignored | Changed nothing | Sans effet | چیزی عوض نشد | هېڅ بدل نه شول | لم يغيّر شيئًا
published | Told | Annoncé | گفته شد | وویل شو | أُعلن
unpublished | Not told yet | Pas annoncé | هنوز گفته نشده | لا نه دی ویل شوی | لم يُعلن بعد
call | Call | Appel | درخواست | غوښتنه | طلب
place | Place | Pose | گذاشتن | اېښودل | وضع
made | Tried | Essayé | کوشش شد | هڅه وشوه | جُرِّب
skipped | Left out | Omis | رها شد | پرېښودل شو | تُرك
held | On hold | En attente | نگه‌داشته | ساتل شوی | معلّق
email | Mail | E-mail | ایمیل | برېښنالیک | بريد
sms | SMS | SMS | پیامک | پیغام | رسالة قصيرة
push | App | Application | برنامه | اپ | تطبيق
first | First key | Première clé | کلید نخست | لومړۍ کیلي | المفتاح الأول
refused | Refused | Refusé | رد شد | رد شو | مرفوض
opened | Opened | Ouverte | باز شد | خلاصه شوه | فُتح
stayed_shut | Stayed shut | Restée fermée | بسته ماند | بنده پاتې شوه | بقي مغلقًا
online | Online | En ligne | آنلاین | آنلاین | متصل
offline | Offline | Hors ligne | آفلاین | آفلاین | غير متصل
swapped | Swapped | Échangée | عوض‌شده | بدل شوی | مستبدل
missing_lock | Missing | Manquante | گم‌شده | ورک | مفقود
never_looked_at | Never looked at | Jamais vue | هرگز دیده نشده | هېڅکله نه لیدل شوی | لم يُفحص
right | Right | À l’heure | درست | سم | صحيحة
off | Off | Décalée | نادرست | ناسم | منحرفة
wrong | Wrong | Fausse | غلط | غلط | خاطئة
critical | Critical | Critique | بحرانی | بحراني | حرج
low | Low | Faible | کم | کم | منخفض
doubled | Doubled | En double | تکراری | تکراري | مكرر
rooms_without_a_lock | Rooms without lock | Sans serrure | اتاق بی‌قفل | بې قلفه خونې | غرف بلا قفل
locks_without_a_room | Locks without room | Sans chambre | قفل بی‌اتاق | بې خونې قلفونه | أقفال بلا غرفة
unproven | Never proven | Jamais prouvées | آزموده‌نشده | نه ازمویل شوي | غير مثبتة
shared_doors | Shared doors | Portes communes | دروازه‌های مشترک | ګډې دروازې | أبواب مشتركة
lifts | Lifts | Ascenseurs | لفت‌ها | لفټونه | مصاعد
open | In trouble | En panne | خراب، پرسیده نمی‌شود | خراب، نه پوښتل کېږي | معطّل، لا يُسأل
half_open | Being tried again | Nouvel essai | دوباره آزموده می‌شود | بیا ازمویل کېږي | يُجرَّب ثانية
answers | Answers | Répond | پاسخ می‌دهد | ځواب ورکوي | يستجيب
under_way | Under way | En cours | در جریان | روان | قيد التنفيذ
broken_off | Broken off | Interrompu | ناتمام | نیمګړی | انقطع
revoking | Keys end | Fin des clés | کلیدها پایان می‌یابند | کیلۍ پای ته رسي | إنهاء المفاتيح
overdue | Overdue | En retard | دیرشده | ځنډېدلی | متأخر
well | In order | En ordre | درست | سم | سليم
issue | Make | Fabrication | ساختن | جوړول | إصدار
settle | Bring to locks | Mise aux serrures | رساندن به قفل | قلفونو ته رسول | تسوية الأقفال
per_shift | By shift | Par service | نوبتی | د نوبت | بالمناوبة
standing | Standing | Permanente | همیشگی | تلپاتې | دائم
pin | Code | Code | رمز | کوډ | رمز
pin_code | Code | Code | رمز | کوډ | رمز
card | Card | Carte | کارت | کارت | بطاقة
rfid_card | Card | Carte | کارت | کارت | بطاقة
mobile_app | Phone | Téléphone | موبایل | موبایل | هاتف
app | Phone | Téléphone | موبایل | موبایل | هاتف
sent | Sent | Envoyé | فرستاده‌شده | لېږل شوی | أُرسل
delivered | Delivered | Remis | رسید | ورسېد | سُلّم
undelivered | Not delivered | Non remis | نرسید | ونه رسېد | لم يُسلّم
reached | Reached | Atteint | رسید | ورسېد | وصل
unreached | Not reached | Non atteint | نرسید | ونه رسېد | لم يصل
"""
_DOINGS: Final = """
all | All | Tout | همه | ټول | الكل
only_failed | Troubles only | Problèmes seulement | تنها مشکل‌ها | یوازې ستونزې | المشاكل فقط
save_view | Save this view | Enregistrer cette vue | این نما را نگه دار | دا لید وساته | احفظ هذا العرض
remove | Remove | Retirer | بردار | لرې کړه | أزل
saved | Views kept. | Vues enregistrées. | نماها نگه داشته شد. | لیدونه وساتل شول. | حُفظت طرق العرض.
try_door | Try the door | Essayer la porte | دروازه را بیازمای | دروازه وازموه | جرّب الباب
do_it | Let it happen | Le provoquer | بگذار رخ دهد | پرېږده چې وشي | دعه يحدث
fork | Begin anew from here | Reprendre d’ici | از اینجا از نو | له دې ځایه له سره | ابدأ من هنا مجددًا
uncounted | Not counted before: | Non compté avant le : | ناشمرده پیش از: | ناشمېرل مخکې له: | لم يُحسب قبل:
no_price | No price said for: | Sans prix indiqué : | بی قیمت گفته‌شده: | بې ویل شوې بیې: | بلا سعر مذكور:
ask_lock | Ask the lock now | Sonder la serrure | حالا از قفل بپرس | اوس له قلف نه وپوښته | اسأل القفل الآن
which | Room or booking | Chambre ou réservation | اتاق یا رزرو | خونه یا ریزرف | غرفة أو حجز
"""
TERMS: Final[Mapping[str, tuple[str, ...]]] = {
    name: tuple(words)
    for table in (_SCREENS, _COLUMNS, _STATES, _DOINGS)
    for name, *words in ([word.strip() for word in line.split("|")] for line in table.strip().splitlines())
}
