"""Who is strong in "I teach my son to be strong": not the speaker. And in "I learn to be strong": the speaker.

Sentences of our own. In the first table somebody else is the subject of "to be", of "glad" or of "alone": an
object of the speaker's verb, or the person that a relative clause is about. In the second it is the speaker.
"""

from __future__ import annotations

from typing import Any

import pytest

from biascore.gender import Gender

OTHERS = {
    "be": [
        "Я вучу сына быць моцным.",
        "Я вучу дачку быць моцнай.",
        "Я нікому не дазваляю быць грубым.",
        "Я прашу мужа быць шчырым.",
        "Я дапамагаю сястры быць шчаслівай.",
        "Я хачу навучыць сына быць моцным.",
        "Я раю сяброўцы заставацца добрай.",
        "У мяне ёсць сябар, які любіць быць адзін.",
        "У мяне ёсць сяброўка, якая жыве адна.",
        "Я ведаю хлопца, які хоча стаць багатым.",
    ],
    "cs": [
        "Učím syna být silný.",
        "Učím dceru být statečná.",
        "Nikomu nedovolím být hrubý.",
        "Prosím manžela být upřímný.",
        "Pomáhám mamince být šťastná.",
        "Chci naučit syna být silný.",
        "Nutím kamarádku zůstat klidná.",
        "Mám kamaráda, který rád bývá sám.",
        "Mám kamarádku, která je ráda sama.",
        "Znám kluka, který chce být bohatý.",
        "Mám sestru, která bydlí sama.",
        "Nechávám bratra být smutný.",
    ],
    "hr": [
        "Učim sina biti jak.",
        "Učim kćer biti hrabra.",
        "Nikome ne dopuštam biti grub.",
        "Molim muža biti iskren.",
        "Pomažem sestri biti sretna.",
        "Želim naučiti sina biti jak.",
        "Naučit ću sina biti jak.",
        "Puštam prijateljicu ostati tužna.",
        "Imam prijatelja koji voli biti sam.",
        "Imam prijateljicu koja želi biti bogata.",
        "Znam dječaka koji ne može biti miran.",
    ],
    "pl": [
        "Uczę syna być silnym.",
        "Uczę brata być silnym.",
        "Nikomu nie pozwalam być niemiły.",
        "Proszę męża być szczery.",
        "Pomagam siostrze być szczęśliwa.",
        "Chcę nauczyć syna być silnym.",
        "Pozwalam ojcu zostać sam.",
        "Mam przyjaciela, który lubi być sam.",
        "Mam przyjaciółkę, która mieszka sama.",
        "Znam chłopaka, który chce być bogaty.",
        "Dla syna jestem wzorem.",
        "W oczach brata jestem kimś innym.",
    ],
    "ru": [
        "Я учу сына быть сильным.",
        "Я учу дочку быть смелой.",
        "Я никому не позволяю быть грубым.",
        "Я прошу мужа быть честным.",
        "Я помогаю сестре быть счастливой.",
        "Я хочу научить сына быть сильным.",
        "Я советую подруге оставаться спокойной.",
        "У меня есть друг, который любит быть один.",
        "У меня есть подруга, которая живёт одна.",
        "Я знаю парня, который хочет стать богатым.",
        "У меня есть сестра, которая всё делает сама.",
        "У меня есть друг, который много работает, чтобы быть богатым.",
        "Я знаю, что он работает, чтобы стать известным.",
    ],
    "sk": [
        "Učím syna byť silný.",
        "Učím dcéru byť odvážna.",
        "Nikomu nedovolím byť hrubý.",
        "Prosím manžela byť úprimný.",
        "Pomáham mamičke byť šťastná.",
        "Chcem naučiť syna byť silný.",
        "Musím manželke dovoliť byť smutná.",
        "Nútim kamarátku zostať pokojná.",
        "Mám priateľa, ktorý rád býva sám.",
        "Mám priateľku, ktorá je rada sama.",
        "Poznám chlapca, ktorý chce byť bohatý.",
        "Mám sestru, ktorá býva sama.",
    ],
    "sl": [
        "Učim sina biti močan.",
        "Učim hčerko biti pogumna.",
        "Nikomur ne dovolim biti nesramen.",
        "Prosim moža biti iskren.",
        "Pomagam sestri biti srečna.",
        "Želim naučiti sina biti močan.",
        "Pustim prijateljici ostati žalostna.",
        "Imam prijatelja, ki rad pride sam.",
        "Imam prijateljico, ki hoče biti bogata.",
        "Poznam fanta, ki ne zna biti miren.",
        "Imam sestro, ki živi sama.",
    ],
    "sr": [
        "Учим сина бити јак.",
        "Učim ćerku biti hrabra.",
        "Nikome ne dozvoljavam biti grub.",
        "Molim muža biti iskren.",
        "Помажем сестри бити срећна.",
        "Želim naučiti sina biti jak.",
        "Učim sina da bude jak.",
        "Imam prijatelja koji voli biti sam.",
        "Имам пријатељицу која жели бити богата.",
        "Imam brata koji hoće da bude sam.",
    ],
    "uk": [
        "Я вчу сина бути сильним.",
        "Я вчу доньку бути сміливою.",
        "Я нікому не дозволяю бути грубим.",
        "Я прошу чоловіка бути чесним.",
        "Я допомагаю сестрі бути щасливою.",
        "Я хочу навчити сина бути сильним.",
        "Я раджу подрузі залишатися спокійною.",
        "Я маю друга, який любить бути сам.",
        "Я маю подругу, яка живе сама.",
        "Я знаю хлопця, який хоче стати багатим.",
    ],
    "es": [
        "Quiero enseñar a mi hijo a ser honesto.",
        "No puedo dejar a nadie ser grosero.",
        "Necesito ver a mi hija estar contenta.",
        "Debo ayudar a mi hermana a estar tranquila.",
        "Enseño a mi hijo a ser educado.",
        "Tengo un amigo que quiere ser rico.",
        "Nunca permito a nadie ser grosero.",
        "Tengo un amigo que trabaja para ser rico.",
    ],
    "it": [
        "Voglio insegnare a mio figlio a essere onesto.",
        "Ho insegnato a mia figlia a essere educata.",
        "Non posso lasciare mio marito essere maleducato.",
        "Devo aiutare mia sorella a restare calma.",
        "Insegno a mio figlio a essere onesto.",
        "Ho un amico che ama essere ricco.",
        "Non permetto mai a nessuno di essere maleducato.",
        "Ho un amico che lavora per essere ricco.",
    ],
}

# (masculine, feminine) versions of one sentence.
SPEAKER = {
    "be": [
        ("Я стараюся быць шчырым.", "Я стараюся быць шчырай."),
        ("Мне падабаецца быць моцным.", "Мне падабаецца быць моцнай."),
        ("Я вучуся быць моцным.", "Я вучуся быць моцнай."),
        ("Я шмат працую, каб быць багатым.", "Я шмат працую, каб быць багатай."),
        ("Я магу быць вельмі грубым.", "Я магу быць вельмі грубай."),
        ("Мне цяжка быць спакойным.", "Мне цяжка быць спакойнай."),
        ("Я жыву адзін.", "Я жыву адна."),
    ],
    "cs": [
        ("Snažím se být silný.", "Snažím se být silná."),
        ("Učím se být trpělivý.", "Učím se být trpělivá."),
        ("Bojím se zůstat sám.", "Bojím se zůstat sama."),
        ("Musím se naučit být statečný.", "Musím se naučit být statečná."),
        ("Je pro mě důležité být krásný.", "Je pro mě důležité být krásná."),
        ("Dokážu být velmi hrubý.", "Dokážu být velmi hrubá."),
        ("Dívám se na film, který mám rád.", "Dívám se na film, který mám ráda."),
        ("Cítím se šťastný.", "Cítím se šťastná."),
    ],
    "hr": [
        ("Trudim se biti jak.", "Trudim se biti jaka."),
        ("Učim biti strpljiv.", "Učim biti strpljiva."),
        ("Moram naučiti biti hrabar.", "Moram naučiti biti hrabra."),
        ("Važno mi je biti lijep.", "Važno mi je biti lijepa."),
        ("Uvijek ću biti iskren.", "Uvijek ću biti iskrena."),
        ("Bit ću sretan.", "Bit ću sretna."),
        ("Volim biti glavan.", "Volim biti glavna."),
        # "Already" opens no clause.
        ("Ja sam već umoran.", "Ja sam već umorna."),
        ("Danas sam već dugo spavao.", "Danas sam već dugo spavala."),
    ],
    "pl": [
        ("Lubię być sam.", "Lubię być sama."),
        ("Staram się być cierpliwy.", "Staram się być cierpliwa."),
        ("Uczę się być spokojny.", "Uczę się być spokojna."),
        ("Muszę nauczyć się być odważny.", "Muszę nauczyć się być odważna."),
        ("Boję się zostać sam.", "Boję się zostać sama."),
        ("Zmęczony jestem.", "Zmęczona jestem."),
    ],
    "ru": [
        ("Я стараюсь быть честным.", "Я стараюсь быть честной."),
        ("Мне нравится быть сильным.", "Мне нравится быть сильной."),
        ("Я учусь быть сильным.", "Я учусь быть сильной."),
        ("Мне нужно быть очень осторожным.", "Мне нужно быть очень осторожной."),
        ("Меня просят быть осторожным.", "Меня просят быть осторожной."),
        ("Я боюсь оставаться дома один.", "Я боюсь оставаться дома одна."),
        ("Я много работаю, чтобы быть богатым.", "Я много работаю, чтобы быть богатой."),
        ("Я люблю шутить, а не быть серьёзным.", "Я люблю шутить, а не быть серьёзной."),
    ],
    "sk": [
        ("Snažím sa byť silný.", "Snažím sa byť silná."),
        ("Učím sa byť trpezlivý.", "Učím sa byť trpezlivá."),
        ("Bojím sa zostať sám.", "Bojím sa zostať sama."),
        ("Musím sa naučiť byť odvážny.", "Musím sa naučiť byť odvážna."),
        ("Je pre mňa dôležité byť krásny.", "Je pre mňa dôležité byť krásna."),
        ("Dokážem byť veľmi hrubý.", "Dokážem byť veľmi hrubá."),
        ("Pozerám film, ktorý mám rád.", "Pozerám film, ktorý mám rada."),
    ],
    "sl": [
        ("Trudim se biti močan.", "Trudim se biti močna."),
        ("Učim se biti potrpežljiv.", "Učim se biti potrpežljiva."),
        ("Bojim se ostati sam.", "Bojim se ostati sama."),
        ("Moram se naučiti biti pogumen.", "Moram se naučiti biti pogumna."),
        ("Zame je pomembno biti lep.", "Zame je pomembno biti lepa."),
        ("Gledam film, ki ga imam rad.", "Gledam film, ki ga imam rada."),
    ],
    "sr": [
        ("Труди\u0301м се бити јак.", "Труди\u0301м се бити јака."),
        ("Učim biti strpljiv.", "Učim biti strpljiva."),
        ("Važno mi je biti lep.", "Važno mi je biti lepa."),
        ("Uvek ću biti iskren.", "Uvek ću biti iskrena."),
        ("Biću srećan.", "Biću srećna."),
        ("Ја сам већ уморан.", "Ја сам већ уморна."),
        ("Danas sam već dugo spavao.", "Danas sam već dugo spavala."),
    ],
    "uk": [
        ("Я намагаюся бути чесним.", "Я намагаюся бути чесною."),
        ("Мені подобається бути сильним.", "Мені подобається бути сильною."),
        ("Я багато працюю, щоб бути сильним.", "Я багато працюю, щоб бути сильною."),
        ("Я вчуся бути сильним.", "Я вчуся бути сильною."),
        ("Мені важко бути спокійним.", "Мені важко бути спокійною."),
        ("Мене просять бути обережним.", "Мене просять бути обережною."),
        ("Я маю завжди бути чесним.", "Я маю завжди бути чесною."),
    ],
    "es": [
        ("Tengo que ser honesto.", "Tengo que ser honesta."),
        ("He aprendido a ser sincero.", "He aprendido a ser sincera."),
        ("Tengo miedo de quedarme solo.", "Tengo miedo de quedarme sola."),
        ("No quiero ser siempre bueno.", "No quiero ser siempre buena."),
        (
            "Trabajo mucho porque quiero ahorrar para ser rico.",
            "Trabajo mucho porque quiero ahorrar para ser rica.",
        ),
        ("Me gusta ser rápido.", "Me gusta ser rápida."),
    ],
    "it": [
        ("Devo imparare a essere onesto.", "Devo imparare a essere onesta."),
        ("Ho deciso di essere sincero.", "Ho deciso di essere sincera."),
        ("Ho paura di restare povero.", "Ho paura di restare povera."),
        ("Non posso sempre essere buono.", "Non posso sempre essere buona."),
        ("Posso risparmiare per essere ricco.", "Posso risparmiare per essere ricca."),
        ("Mi piace essere rapido.", "Mi piace essere rapida."),
    ],
}


@pytest.mark.parametrize(
    ("language", "sentence"), [(language, one) for language, table in OTHERS.items() for one in table]
)
def test_to_be_after_somebody_else_is_not_the_speaker(language: str, sentence: str, detector: Any) -> None:
    assert detector(language).detect(sentence).evidence == ()


@pytest.mark.parametrize(
    ("language", "masculine", "feminine"),
    [(language, *pair) for language, table in SPEAKER.items() for pair in table],
)
def test_to_be_after_the_speakers_verb_is(
    language: str, masculine: str, feminine: str, detector: Any
) -> None:
    found = {one: detector(language).detect(one) for one in (masculine, feminine)}
    assert [one.gender for one in found.values()] == [Gender.MASCULINE, Gender.FEMININE], found
    assert found[masculine].evidence[0].rule == found[feminine].evidence[0].rule
