"""Tells whether what ranked best belongs to the question at all.

Words that many questions share are in some page of every large wiki. How sure a page answers is
told by how much of the question it says, in one passage and in its name, and by how much it was
asked. The weights are those of a logistic regression over the tuning half of the questions of
`zib bench recall` against questions that have no answer; the bench prints what they are worth on
the other half.
"""

import math
from dataclasses import dataclass

LEAST = 0.3
"""Below this nothing is recalled."""

_BIAS = -7.8
_OF_PAGE, _OF_PASSAGE, _OF_NAME, _NAME_FILLED = 1.5, 3.1, 1.4, 1.9
_OF_LENGTH, _OF_SCORE, _OF_LONG_PASSAGE = 7.3, 2.7, 4.3
_MANY_TERMS = 4.0
_BEST_SCORE = 2.2
# Among few pages it is less likely that one has the words by chance.
_FEW_PAGES, _MANY_PAGES = 0.25, 1000


@dataclass(frozen=True, slots=True)
class Signs:
    """What is seen of one page, each as a share from 0 to 1 but the last three.

    Of what the question's terms count, the page, its best passage and its name say so much;
    `name_filled` is how much of the name that is. `terms` is how many were asked, `pages` how many
    there are, `score` what the page was ranked by for each unit that the terms count.
    """

    of_page: float
    of_passage: float
    of_name: float
    name_filled: float
    terms: int
    pages: int
    score: float


def evidence(signs: Signs) -> float:
    """How sure it is, from 0 to 1."""
    length = min(1.0, math.log(max(1, signs.terms)) / _MANY_TERMS)
    sum_of_all = (
        _BIAS
        + _FEW_PAGES * max(0.0, math.log(_MANY_PAGES / max(1, signs.pages)))
        + _OF_PAGE * signs.of_page
        + _OF_PASSAGE * signs.of_passage
        + _OF_NAME * signs.of_name
        + _NAME_FILLED * signs.name_filled
        + _OF_LENGTH * length
        + _OF_SCORE * signs.score / _BEST_SCORE
        + _OF_LONG_PASSAGE * length * signs.of_passage
    )
    return 1 / (1 + math.exp(-sum_of_all))
