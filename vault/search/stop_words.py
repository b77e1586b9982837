"""Words that say little about what is looked for, by language."""

from collections.abc import Sequence

_LISTS = {
    "en": "a about an and any are as at be been but by can could did do does for from had has"
    " have he her his how i if in into is it its me my no not of on or our she should so"
    " than that the their them then there these they this those to us was we were what when"
    " where which who whom why will with would you your",
    "de": "aber als am an auch auf aus bei bin bis das dass dem den der des die doch du ein eine"
    " einem einen einer es für hat ich ihr im in ist kann man mein mich mir mit nach nicht"
    " noch oder sich sie sind so über um und uns von war warum was wenn wer werden wie wir"
    " wird wo zu zum zur",
    "fr": "au aux avec ce ces cette dans de des du elle en est et eux il ils je la le les leur"
    " lui ma mais me mes mon ne nos notre nous on ou où par pas pour pourquoi quand que quel"
    " quelle qui sa se ses son sont sur ta te tes toi ton tu un une vos votre vous",
    "es": "al como con cuál cuando de del donde dónde el ella en es esta este esto fue ha hay la"
    " las le lo los más me mi muy no o para pero por porque qué que se sin sobre son su sus"
    " te tu un una uno y ya yo",
    "it": "al alla anche che chi ci come con cosa da dal del della delle dei di dove e è gli ha"
    " ho i il in io la le lo ma mi mio nel nella non o per perché più quando questa questo"
    " si sono su sul ti tu un una uno",
    "pt": "a ao aos as com como da das de do dos e é ela ele em essa esse esta este eu foi há"
    " isso isto já mais mas me meu na não nas no nos o onde os ou para pela pelo por porque"
    " quando que quem se sem seu sua são um uma você",
    "nl": "aan als bij dat de den der die dit door dus een en er het hij hoe ik in is je maar met"
    " mijn naar niet nog of om ook op over te tot u uit van veel voor waar wanneer wat we"
    " werd wie wij ze zich zijn",
    "ru": "а в во вы где для до если же за и из или как когда кто к мы на не но о об он она они"
    " от по почему при с так то у что это я",
}
_WORDS = {language: frozenset(words.split()) for language, words in _LISTS.items()}
_LEAST_FOREIGN = 2


def without_stop_words(words: Sequence[str]) -> tuple[str, ...]:
    """Leave out the stop words of the language most of them are of; all stay when none is left.

    One foreign stop word alone may be a word of another language, so it takes two.
    """
    folded = [word.casefold() for word in words]
    best, most = "en", sum(word in _WORDS["en"] for word in folded)
    for language, stop_words in _WORDS.items():
        count = sum(word in stop_words for word in folded)
        if count > most and count >= _LEAST_FOREIGN:
            best, most = language, count
    left = tuple(word for word, key in zip(words, folded, strict=True) if key not in _WORDS[best])
    return left or tuple(words)
