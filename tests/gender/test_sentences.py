"""Sentences of our own: what agrees with the speaker counts in both genders alike, and nothing else does."""

from __future__ import annotations

from typing import Any

import pytest

from biascore.languages.gender import Gender

# Per language: (masculine, feminine) versions of one sentence.
SPEAKER = {
    "be": [
        ("Я ўчора прыйшоў позна.", "Я ўчора прыйшла позна."),
        ("Я не мог заснуць.", "Я не магла заснуць."),
        ("Калі я вярнуўся дадому, ішоў дождж.", "Калі я вярнулася дадому, ішоў дождж."),
        ("Я вельмі стомлены.", "Я вельмі стомленая."),
        ("Я павінен ісці.", "Я павінна ісці."),
        ("Я хачу быць здаровым.", "Я хачу быць здаровай."),
        ("Я б з радасцю дапамог суседу.", "Я б з радасцю дапамагла суседу."),
        ("Я зрабіў гэта сам.", "Я зрабіла гэта сама."),
    ],
    "cs": [
        ("Včera jsem přišel pozdě.", "Včera jsem přišla pozdě."),
        ("Nemohl jsem usnout.", "Nemohla jsem usnout."),
        ("Rozhodl jsem se odejít.", "Rozhodla jsem se odejít."),
        ("Kdybych to věděl, zůstal bych doma.", "Kdybych to věděla, zůstala bych doma."),
        ("Jsem hrozně unavený.", "Jsem hrozně unavená."),
        ("Jsem připraven začít.", "Jsem připravena začít."),
        ("Nerad vstávám brzy.", "Nerada vstávám brzy."),
        ("Opravím to sám.", "Opravím to sama."),
        ("Chci být bohatý.", "Chci být bohatá."),
        ("Dnes ráno jsem, jako vždycky, zaspal.", "Dnes ráno jsem, jako vždycky, zaspala."),
        ("Musím být silný.", "Musím být silná."),
    ],
    "hr": [
        ("Jučer sam zakasnio na vlak.", "Jučer sam zakasnila na vlak."),
        ("Nisam mogao zaspati.", "Nisam mogla zaspati."),
        ("Htio bih naučiti plivati.", "Htjela bih naučiti plivati."),
        ("Vrlo sam umoran.", "Vrlo sam umorna."),
        ("Ja sam jači od brata.", "Ja sam jača od brata."),
        ("Odgojen sam na selu.", "Odgojena sam na selu."),
        ("Radio sam cijelu noć.", "Radila sam cijelu noć."),
        ("Nazvao sam je odmah.", "Nazvala sam je odmah."),
        ("Želim biti bogat.", "Želim biti bogata."),
        ("Jedini sam koji kuha.", "Jedina sam koja kuha."),
        ("Ne volim putovati sam.", "Ne volim putovati sama."),
        ("Ja sam sam kod kuće.", "Ja sam sama kod kuće."),
        ("Moram biti jak.", "Moram biti jaka."),
        ("Ja sam umoran i gladan.", "Ja sam umorna i gladna."),
    ],
    "pl": [
        ("Wczoraj przyszedłem późno.", "Wczoraj przyszłam późno."),
        ("Nie mogłem zasnąć.", "Nie mogłam zasnąć."),
        ("Chciałbym nauczyć się pływać.", "Chciałabym nauczyć się pływać."),
        ("Gdybym wiedział, zostałbym w domu.", "Gdybym wiedziała, zostałabym w domu."),
        ("Powinienem iść.", "Powinnam iść."),
        ("Jestem bardzo zmęczony.", "Jestem bardzo zmęczona."),
        ("Czuję się samotny.", "Czuję się samotna."),
        ("Chcę być bogaty.", "Chcę być bogata."),
        ("Naprawię to sam.", "Naprawię to sama."),
        ("Będę jutro pracował.", "Będę jutro pracowała."),
        ("Muszę być silny.", "Muszę być silna."),
        ("Może jestem głupi.", "Może jestem głupia."),
    ],
    "ru": [
        ("Я вчера пришёл поздно.", "Я вчера пришла поздно."),
        ("Я не мог заснуть.", "Я не могла заснуть."),
        ("Когда я вернулся домой, шёл дождь.", "Когда я вернулась домой, шёл дождь."),
        ("Я, честно говоря, испугался.", "Я, честно говоря, испугалась."),
        ("Я очень устал.", "Я очень устала."),
        ("Я уверен в победе.", "Я уверена в победе."),
        ("Я слишком молодой.", "Я слишком молодая."),
        ("Должен ли я ждать?", "Должна ли я ждать?"),
        ("Я умён и силён.", "Я умна и сильна."),
        ("Я хочу быть богатым.", "Я хочу быть богатой."),
        ("Я чувствую себя одиноким.", "Я чувствую себя одинокой."),
        ("Я живу один.", "Я живу одна."),
        ("Я их внимательно выслушал.", "Я их внимательно выслушала."),
        ("Я должен быть сильным.", "Я должна быть сильной."),
    ],
    "sk": [
        ("Včera som prišiel neskoro.", "Včera som prišla neskoro."),
        ("Nemohol som zaspať.", "Nemohla som zaspať."),
        ("Chcel by som sa naučiť plávať.", "Chcela by som sa naučiť plávať."),
        ("Som veľmi unavený.", "Som veľmi unavená."),
        ("Som si istý svojím rozhodnutím.", "Som si istá svojím rozhodnutím."),
        ("Som silnejší ako brat.", "Som silnejšia ako brat."),
        ("Nerád vstávam skoro.", "Nerada vstávam skoro."),
        ("Opravím to sám.", "Opravím to sama."),
        ("Chcem byť bohatý.", "Chcem byť bohatá."),
        ("Cítim sa šťastný.", "Cítim sa šťastná."),
        ("Musím byť silný.", "Musím byť silná."),
        ("Mal by som byť silný.", "Mala by som byť silná."),
    ],
    "sl": [
        ("Včeraj sem prišel pozno.", "Včeraj sem prišla pozno."),
        ("Nisem mogel zaspati.", "Nisem mogla zaspati."),
        ("Vedno sem si želel psa.", "Vedno sem si želela psa."),
        ("Jutri bom počival.", "Jutri bom počivala."),
        ("Zelo sem utrujen.", "Zelo sem utrujena."),
        ("Sem močnejši od brata.", "Sem močnejša od brata."),
        ("Rad bi se naučil plavati.", "Rada bi se naučila plavati."),
        ("Popravil bom sam.", "Popravila bom sama."),
        ("Hočem biti bogat.", "Hočem biti bogata."),
        ("Jaz sem edini, ki kuha.", "Jaz sem edina, ki kuha."),
        ("Če bi imel čas, bi spal.", "Če bi imela čas, bi spala."),
        ("Moram biti močan.", "Moram biti močna."),
    ],
    "sr": [
        ("Јуче сам закаснио на воз.", "Јуче сам закаснила на воз."),
        ("Juče sam zakasnio na voz.", "Juče sam zakasnila na voz."),
        ("Нисам могао да заспим.", "Нисам могла да заспим."),
        ("Nisam mogao da zaspim.", "Nisam mogla da zaspim."),
        ("Хтео бих да научим да пливам.", "Хтела бих да научим да пливам."),
        ("Htio bih da naučim da plivam.", "Htjela bih da naučim da plivam."),
        ("Веома сам уморан.", "Веома сам уморна."),
        ("Veoma sam umoran.", "Veoma sam umorna."),
        ("Желим да будем богат.", "Желим да будем богата."),
        ("Želim da budem bogat.", "Želim da budem bogata."),
        ("Видео сам га јуче.", "Видела сам га јуче."),
        ("Одгајан сам на селу.", "Одгајана сам на селу."),
    ],
    "uk": [
        ("Я вчора прийшов пізно.", "Я вчора прийшла пізно."),
        ("Я не міг заснути.", "Я не могла заснути."),
        ("Коли я повернувся додому, йшов дощ.", "Коли я повернулася додому, йшов дощ."),
        ("Я дуже втомлений.", "Я дуже втомлена."),
        ("Я повинен іти.", "Я повинна йти."),
        ("Я впевнений у перемозі.", "Я впевнена у перемозі."),
        ("Я хочу бути багатим.", "Я хочу бути багатою."),
        ("Я почуваюся самотнім.", "Я почуваюся самотньою."),
        ("Я живу сам.", "Я живу сама."),
        ("Я хотів піти.", "Я хотіла піти."),
        ("Я зустрів старого друга.", "Я зустріла старого друга."),
        ("Я б із радістю допоміг сусідові.", "Я б із радістю допомогла сусідові."),
        ("Я маю бути сильним.", "Я маю бути сильною."),
        ("Я простий і скромний.", "Я проста і скромна."),
    ],
    "es": [
        ("Estoy muy cansado.", "Estoy muy cansada."),
        ("No estoy seguro de nada.", "No estoy segura de nada."),
        ("Me siento cómodo aquí.", "Me siento cómoda aquí."),
        ("Fui educado por mis abuelos.", "Fui educada por mis abuelos."),
        ("He sido elegido delegado.", "He sido elegida delegada."),
        ("Quiero ser rico.", "Quiero ser rica."),
        ("Yo era muy tímido.", "Yo era muy tímida."),
        ("Estaba preocupado por él.", "Estaba preocupada por él."),
        ("Soy trabajador.", "Soy trabajadora."),
    ],
    "it": [
        ("Sono molto stanco.", "Sono molto stanca."),
        ("Non sono sicuro di niente.", "Non sono sicura di niente."),
        ("Ieri sono arrivato tardi.", "Ieri sono arrivata tardi."),
        ("Mi sono alzato presto.", "Mi sono alzata presto."),
        ("Mi sento tranquillo.", "Mi sento tranquilla."),
        ("Ero molto timido.", "Ero molto timida."),
        ("Sono stato educato dai nonni.", "Sono stata educata dai nonni."),
        ("Voglio diventare ricco.", "Voglio diventare ricca."),
    ],
}

# Per language: sentences that say nothing of the speaker's gender, and why.
NOBODY = {
    "be": [
        ("Я добры спявак.", "attributive adjective"),
        ("Я настаўніца.", "noun"),
        ("Мая сястра прыйшла позна.", "another subject"),
        ("Мне давялося чакаць.", "dative experiencer"),
        ("У мяне была цікавая праца.", "possessor"),
        ("Я ведаю, што яна прыйшла.", "another subject"),
        ("Я маю шмат сяброў.", "genitive plural"),
        ("Кухня павінна быць чыстай.", "the modal of another subject"),
    ],
    "cs": [
        ("Jsem dobrý zpěvák.", "attributive adjective"),
        ("Jsem učitelka.", "noun"),
        ("Moje sestra přišla pozdě.", "another subject"),
        ("Bylo mi smutno.", "dative experiencer"),
        ("Jsem silnější než bratr.", "a soft adjective shows no gender"),
        ("Vím, že ona byla unavená.", "another subject"),
        ("Udělal to sám, on nikoho nepotřebuje.", "the participle of another subject"),
        ("Mám nový hotel.", "noun in -l"),
        ("Můj otec rád vaří.", "another subject is glad"),
        ("Makeup by měl být dokonalý.", "the modal of another subject"),
        ("Kuchyně musí být čistá.", "the modal of another subject"),
    ],
    "hr": [
        ("Ja sam dobar pjevač.", "attributive adjective"),
        ("Ja sam učiteljica.", "noun"),
        ("Moja sestra je zakasnila.", "another subject"),
        ("Bilo mi je žao.", "dative experiencer"),
        ("Znam da je bila umorna.", "another subject"),
        ("Često sam u žurbi i depresiji.", "noun in the locative"),
        ("Ja sam pristojna osoba.", "a noun that hides the speaker"),
        ("Svi smo bili umorni.", "plural"),
        ("Kad sam s prijateljima, volim pričati.", "the auxiliary is not the masculine of alone"),
        ("Moj dom mora biti čist.", "the modal of another subject"),
        ("Moja koža bi trebala biti čista.", "the modal of another subject"),
        ("Ja sam jednostavna i skromna žena.", "a row of attributive adjectives"),
        ("Ja sam jak i odlučan muškarac.", "a row of attributive adjectives"),
        ("Ja sam jedina kći.", "attributive adjective before a noun of kin"),
        ("Sam Bog zna.", "verb in -na"),
        ("On sam zna.", "verb in -na"),
    ],
    "pl": [
        ("Jestem dobrą piosenkarką.", "noun"),
        ("Jestem nauczycielem.", "noun"),
        ("Moja siostra przyszła późno.", "another subject"),
        ("Było mi smutno.", "dative experiencer"),
        ("Wysyłam paczkę.", "present tense in -łam"),
        ("Opiekuję się starym kościołem.", "instrumental in -łem"),
        ("Wiem, że ona była zmęczona.", "another subject"),
        ("Czytam tę samą książkę.", "object"),
        ("Mój samochód musi być szybki.", "the modal of another subject"),
        ("Uważam, że dom powinien być czysty.", "the modal of another subject"),
        ("Walczę ze złem na świecie.", "instrumental in -łem"),
        ("Zajmuję się diabłem.", "instrumental in -łem"),
        ("Zajmuję się orłem.", "instrumental in -łem"),
        ("Zajmuję się osłem.", "instrumental in -łem"),
        ("Zajmuję się kozłem.", "instrumental in -łem"),
        ("Zajmuję się kotłem.", "instrumental in -łem"),
        ("Zajmuję się bydłem.", "instrumental in -łem"),
        ("Zajmuję się mozołem.", "instrumental in -łem"),
        ("Zajmuję się kwartałem.", "instrumental in -łem"),
        ("Zajmuję się bawołem.", "instrumental in -łem"),
        ("Zajmuję się działem.", "instrumental in -łem"),
        ("Sama myśl o tym mnie przeraża.", "the very thought"),
        ("Sam fakt, że to działa, mnie cieszy.", "the very fact"),
    ],
    "ru": [
        ("Я хороший певец.", "attributive adjective"),
        ("Я учительница.", "noun"),
        ("Моя сестра пришла поздно.", "another subject"),
        ("Мне пришлось ждать.", "dative experiencer"),
        ("У меня была интересная работа.", "possessor"),
        ("Я знаю, что она пришла.", "another subject"),
        ("Я люблю футбол.", "noun in -л"),
        ("Я становлюсь хорошей хозяйкой.", "noun in the instrumental"),
        ("Мне нужна была помощь.", "dative experiencer"),
        ("Я хочу быть хорошим отцом.", "attributive adjective in the instrumental"),
        ("Еда должна быть вкусной.", "the modal of another subject"),
        ("Лидер должен быть сильным.", "the modal of another subject"),
        ("Я единственная дочь.", "attributive adjective before a noun of kin"),
    ],
    "sk": [
        ("Som dobrý spevák.", "attributive adjective"),
        ("Som učiteľka.", "noun"),
        ("Moja sestra prišla neskoro.", "another subject"),
        ("Bolo mi smutno.", "dative experiencer"),
        ("Viem, že ona bola unavená.", "another subject"),
        ("Som veľmi zdvorilý človek.", "attributive adjective"),
        ("Rada mesta zasadala, ona rozhodla.", "noun beside another subject"),
        ("Bývam v novom hoteli pri škole.", "nouns"),
        ("Kuchyňa musí byť čistá.", "the modal of another subject"),
        ("Dom by mal byť čistý.", "the modal of another subject"),
        ("Som jediná dcéra.", "attributive adjective before a noun of kin"),
        ("Som tá, ktorá varí.", "demonstrative"),
        ("Som ten, kto varí.", "demonstrative"),
    ],
    "sl": [
        ("Sem dober pevec.", "attributive adjective"),
        ("Sem učiteljica.", "noun"),
        ("Moja sestra je prišla pozno.", "another subject"),
        ("Bilo mi je žal.", "dative experiencer"),
        ("Vem, da je bila utrujena.", "another subject"),
        ("Počutim se utrujeno.", "adverb"),
        ("Sem vodja.", "noun in -a"),
        ("Prišli smo pozno.", "plural"),
        ("Nočem, da bi moj partner delal.", "another subject of bi"),
        ("Želim si, da bi me mož poslušal.", "another subject of bi"),
        ("Bojim se, da bi me žena zapustila.", "another subject of bi"),
        ("Mislim, da bi morala ženska biti doma.", "another subject of bi"),
        ("Želim, da bi otrok uspel.", "another subject of bi"),
        ("Potrebujem nekoga, ki bi skrbel zame.", "another subject of bi"),
        ("Moja koža mora biti popolna.", "the modal of another subject"),
        ("Moj dom mora biti čist.", "the modal of another subject"),
        ("Sem edina hči.", "attributive adjective before a noun of kin"),
        ("Sem edina mati.", "attributive adjective before a noun of kin"),
    ],
    "sr": [
        ("Ја сам добар певач.", "attributive adjective"),
        ("Ja sam dobar pevač.", "attributive adjective"),
        ("Ја сам учитељица.", "noun"),
        ("Моја сестра је закаснила.", "another subject"),
        ("Moja sestra je zakasnila.", "another subject"),
        ("Било ми је жао.", "dative experiencer"),
        ("Знам да је била уморна.", "another subject"),
        ("Ја сам вођа.", "noun in -a"),
        ("Мој дом мора бити чист.", "the modal of another subject"),
        ("Ja sam jednostavna i skromna žena.", "a row of attributive adjectives"),
        ("Ја сам јак и одлучан мушкарац.", "a row of attributive adjectives"),
    ],
    "uk": [
        ("Я добрий співак.", "attributive adjective"),
        ("Я вчителька.", "noun"),
        ("Моя сестра прийшла пізно.", "another subject"),
        ("Мені довелося чекати.", "dative experiencer"),
        ("У мене була цікава робота.", "possessor"),
        ("Я знаю, що вона прийшла.", "another subject"),
        ("Я маю багато друзів.", "genitive plural"),
        ("Я працюю щодня.", "adverb in -ня"),
        ("Я хочу стати хорошою мамою.", "attributive adjective in the instrumental"),
        ("Я п'ю багато пива.", "noun"),
        ("Їжа повинна бути смачною.", "the modal of another subject"),
        ("Лідер має бути сильним.", "the modal of another subject"),
        ("Я проста і скромна жінка.", "a row of attributive adjectives"),
    ],
    "es": [
        ("Soy una persona ordenada.", "noun phrase"),
        ("Soy buen cantante.", "attributive adjective"),
        ("Soy maestra.", "noun"),
        ("He trabajado mucho.", "participle after haber"),
        ("Era peligroso.", "a state of affairs"),
        ("Mi hermana está cansada.", "another subject"),
        ("Me gusta la ropa bonita.", "experiencer"),
        ("Cuando llegó, estaba cansada.", "another subject is possible"),
    ],
    "it": [
        ("Sono una persona ordinata.", "noun phrase"),
        ("Sono un bravo cantante.", "attributive adjective"),
        ("Ho lavorato molto.", "participle after avere"),
        ("Mia sorella è stanca.", "another subject"),
        ("Mi piace la musica lenta.", "experiencer"),
        ("Sono arrivati tutti.", "third person plural"),
        ("Ci sono molte case.", "existential"),
    ],
}


def cases(table: dict[str, list[tuple[str, str]]]) -> list[tuple[str, str, str]]:
    return [(language, a, b) for language, sentences in table.items() for a, b in sentences]


@pytest.mark.parametrize(("language", "masculine", "feminine"), cases(SPEAKER))
def test_both_genders_are_found(language: str, masculine: str, feminine: str, detector: Any) -> None:
    for sentence, gender in ((masculine, Gender.MASCULINE), (feminine, Gender.FEMININE)):
        found = detector(language).detect(sentence)
        assert found.gender is gender, (sentence, found)
        for evidence in found.evidence:
            start, end = evidence.span
            assert sentence[start:end] == evidence.word
            assert evidence.rule in {rule.name for rule in detector(language).grammar.rules}


@pytest.mark.parametrize(("language", "sentence", "why"), cases(NOBODY))
def test_nothing_else_counts(language: str, sentence: str, why: str, detector: Any) -> None:
    assert detector(language).detect(sentence).evidence == (), why


def test_the_same_rule_finds_both_genders(detector: Any) -> None:
    for language, masculine, feminine in cases(SPEAKER):
        rules = [
            {evidence.rule for evidence in detector(language).detect(sentence).evidence}
            for sentence in (masculine, feminine)
        ]
        assert rules[0] == rules[1], (masculine, feminine)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("pl", "Nie mogłem spać, więc wstałam wcześnie."),
        ("hr", "Mislila sam da ću stići, ali pogriješio sam."),
        ("ru", "Я пришёл, но я ничего не увидела."),
        ("sk", "Prišiel som domov a potom som zaspala."),
    ],
)
def test_a_translation_that_changes_the_gender_is_a_conflict(
    language: str, sentence: str, detector: Any
) -> None:
    found = detector(language).detect(sentence)
    assert found.gender is Gender.CONFLICT
    assert {evidence.gender for evidence in found.evidence} == {Gender.MASCULINE, Gender.FEMININE}
    assert found.evidence == tuple(sorted(found.evidence, key=lambda evidence: evidence.span))


@pytest.mark.parametrize(
    ("language", "masculine", "feminine"),
    [
        ("hr", "Moja žena je otišla pa sam tužan.", "Moj muž je otišao pa sam tužna."),
        ("hr", "Moja žena je otišla i sad sam tužan.", "Moj muž je otišao i sad sam tužna."),
        ("cs", "Manželka odešla a já jsem smutný.", "Manžel odešel a já jsem smutná."),
        ("cs", "Otec byl moje opora a teď jsem ztracený.", "Matka byla moje opora a teď jsem ztracená."),
        ("sk", "Manželka odišla a teraz som smutný.", "Manžel odišiel a teraz som smutná."),
    ],
)
def test_the_participle_of_a_clause_before_is_not_the_speakers(
    language: str, masculine: str, feminine: str, detector: Any
) -> None:
    assert detector(language).detect(masculine).gender is Gender.MASCULINE
    assert detector(language).detect(feminine).gender is Gender.FEMININE


def test_only_the_first_sentence_is_read(detector: Any) -> None:
    assert detector("cs").detect("Je pozdě. Přišla jsem domů.").gender is Gender.NONE
    assert detector("cs").detect("Přišla jsem domů. Byl jsem tam.").gender is Gender.FEMININE


@pytest.mark.parametrize(
    ("language", "sentence", "gender"),
    [
        ("ru", "Я пришла\u0301 домой.", Gender.FEMININE),  # a stress mark
        ("ru", "Я yстала и ушла.", Gender.FEMININE),  # a Latin y
        ("sr", "Нисaм мoглa да заспим.", Gender.FEMININE),  # Latin a and o
        ("uk", "Я з\u2019їла яблуко.", Gender.FEMININE),  # a typographic apostrophe
        ("cs", "Prˇisˇla jsem.".replace("rˇ", "r\u030c").replace("sˇ", "s\u030c"), Gender.FEMININE),
        ("sk", "„Bola som doma,“ povedal otec.", Gender.FEMININE),
        ("pl", "ZAPOMNIAŁAM O TYM.", Gender.FEMININE),
    ],
)
def test_writing(language: str, sentence: str, gender: Gender, detector: Any) -> None:
    found = detector(language).detect(sentence)
    assert found.gender is gender
    for evidence in found.evidence:
        assert sentence[slice(*evidence.span)] == evidence.word


@pytest.mark.parametrize("text", ["", " ", ".", "…", "123", "Я", "som", "\u0301", "som som som", "я" * 5000])
@pytest.mark.parametrize("language", sorted(SPEAKER))
def test_any_text_has_an_answer(language: str, text: str, detector: Any) -> None:
    assert detector(language).detect(text).gender is Gender.NONE
