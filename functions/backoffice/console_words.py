"""What the console says, in five languages: one row a word, and each language has each."""

from collections.abc import Mapping
from typing import Final

from shared.messages.locales import Locale

_ORDER: Final = (Locale.EN, Locale.FR, Locale.FA_AF, Locale.PS, Locale.AR)
_ROWS: Final[Mapping[str, tuple[str, str, str, str, str]]] = {
    "title": ("Keys of the hotel", "Clés de l’hôtel", "کلیدهای هوتل", "د هوټل کیلۍ", "مفاتيح الفندق"),
    "skip": ("To the content", "Au contenu", "به متن", "متن ته", "إلى المحتوى"),
    "arrivals": ("Arrivals", "Arrivées", "آمدن‌ها", "راتلونکي", "القادمون"),
    "doors": ("Doors", "Portes", "دروازه‌ها", "دروازې", "الأبواب"),
    "residues": (
        "Left at locks",
        "Restes aux serrures",
        "مانده در قفل‌ها",
        "په قلفونو کې پاتې",
        "باقٍ في الأقفال",
    ),
    "sagas": ("Under way", "En cours", "در جریان", "روان کارونه", "قيد التنفيذ"),
    "letters": ("Set aside", "Mis de côté", "کنار گذاشته‌شده", "څنګ ته ایښودل شوي", "مُنحّاة"),
    "stay": ("Stay", "Séjour", "اقامت", "استوګنه", "الإقامة"),
    "property": ("Hotel", "Hôtel", "هوتل", "هوټل", "الفندق"),
    "sign_in": ("Sign in", "Se connecter", "ورود", "ننوتل", "تسجيل الدخول"),
    "sign_out": ("Sign out", "Se déconnecter", "خروج", "وتل", "تسجيل الخروج"),
    "token": (
        "Your token (keyfleet token)",
        "Votre jeton (keyfleet token)",
        "توکن شما (keyfleet token)",
        "ستاسو ټوکن (keyfleet token)",
        "رمزك (keyfleet token)",
    ),
    "refused": (
        "That did not let you in. Take a new token.",
        "Accès refusé. Prenez un nouveau jeton.",
        "اجازه داده نشد. توکن نو بگیرید.",
        "اجازه ورنه کړل شوه. نوی ټوکن واخلئ.",
        "لم يُسمح بالدخول. خذ رمزًا جديدًا.",
    ),
    "forbidden": (
        "Your roles do not hold this.",
        "Vos rôles ne le permettent pas.",
        "نقش شما اجازهٔ این را ندارد.",
        "ستاسو دنده دا اجازه نه لري.",
        "أدوارك لا تسمح بهذا.",
    ),
    "again": (
        "Sign in again first: this asks for a fresh sign-in.",
        "Reconnectez-vous d’abord : une connexion récente est demandée.",
        "نخست دوباره وارد شوید: ورود تازه لازم است.",
        "لومړی بیا ننوځئ: تازه ننوتل پکار دي.",
        "سجّل الدخول مجددًا أولًا: يلزم دخول حديث.",
    ),
    "missing": (
        "There is no such thing.",
        "Introuvable.",
        "چنین چیزی نیست.",
        "داسې شی نشته.",
        "لا يوجد شيء كهذا.",
    ),
    "languages": ("Languages", "Langues", "زبان‌ها", "ژبې", "اللغات"),
    "room": ("Rooms", "Chambres", "اتاق‌ها", "خونې", "الغرف"),
    "reservation": ("Booking", "Réservation", "رزرو", "ریزرف", "الحجز"),
    "staff": ("Staff", "Personnel", "کارمند", "کارکوونکی", "موظف"),
    "key": ("Key", "Clé", "کلید", "کیلۍ", "المفتاح"),
    "lock": ("Lock", "Serrure", "قفل", "قلف", "القفل"),
    "state": ("State", "État", "حالت", "حالت", "الحالة"),
    "from": ("From", "De", "از", "له", "من"),
    "until": ("Until", "Jusqu’à", "تا", "تر", "حتى"),
    "since": ("Since", "Depuis", "از وقت", "له وخته", "منذ"),
    "due": ("Looked at next", "Prochain essai", "بررسی بعدی", "بله کتنه", "المراجعة التالية"),
    "tries": ("Tries", "Essais", "کوشش‌ها", "هڅې", "المحاولات"),
    "reason": ("Reason", "Raison", "دلیل", "دلیل", "السبب"),
    "opens": ("Opens now", "Ouvre", "حالا باز می‌کند", "اوس خلاصوي", "يفتح الآن"),
    "may_open": ("May open still", "Ouvre peut-être", "شاید باز کند", "ښايي خلاص کړي", "قد يفتح"),
    "opens_later": ("Opens later", "Ouvrira plus tard", "بعداً باز می‌کند", "وروسته خلاصوي", "يفتح لاحقًا"),
    "shut": ("Does not open", "N’ouvre pas", "باز نمی‌کند", "نه خلاصوي", "لا يفتح"),
    "ready": ("Ready", "Prête", "آماده", "چمتو", "جاهز"),
    "waiting": ("Waiting", "En attente", "در انتظار", "په تمه", "قيد الانتظار"),
    "resting": ("Resting", "Suspendue", "متوقف", "درول شوی", "موقوف"),
    "failed": ("Failed", "Échouée", "ناکام", "ناکام", "فشل"),
    "keyless": ("No key", "Sans clé", "بدون کلید", "بې کیلۍ", "بلا مفتاح"),
    "none": ("Nothing here now.", "Rien pour l’instant.", "فعلاً چیزی نیست.", "اوس څه نشته.", "لا شيء الآن."),
    "as_of": ("As of", "Au", "تا", "تر", "حتى"),
    "refresh": ("Look again", "Actualiser", "دوباره ببین", "بیا وګوره", "تحديث"),
    "find": ("Find a booking", "Chercher une réservation", "یافتن رزرو", "ریزرف ومومئ", "ابحث عن حجز"),
    "look": ("Look", "Voir", "ببین", "وګوره", "عرض"),
    "at": ("At", "Quand", "وقت", "وخت", "الوقت"),
    "what": ("What happened", "Ce qui s’est passé", "چه شد", "څه وشول", "ما حدث"),
    "subject": ("Subject", "Sujet", "موضوع", "موضوع", "الموضوع"),
    "replay": ("Deliver again", "Rejouer", "دوباره بفرست", "بیا ولېږه", "إعادة الإرسال"),
    "done": ("Done.", "Fait.", "انجام شد.", "وشول.", "تم."),
}
WORDS: Final[Mapping[Locale, Mapping[str, str]]] = {
    locale: {name: row[index] for name, row in _ROWS.items()} for index, locale in enumerate(_ORDER)
}
