"""Plain English for measuring what a cache costs a model's predictions: no passage repeats."""

_PARAGRAPHS = (
    "The ferry to the outer islands leaves at a quarter past six, when the harbour still "
    "smells of diesel and wet rope. Most of the passengers are people who work on the "
    "mainland and go home for the weekend, and they have learned to sleep sitting up, with "
    "their bags between their feet. Tourists stand at the rail and take photographs of the "
    "lighthouse, which has been empty since 1987. In winter the crossing takes an hour and "
    "forty minutes; in summer, when the sea is calm, it can be done in little more than an "
    "hour.",
    "Marta had not been on the boat for eleven years. She remembered the green benches, the "
    "sign that warned against feeding the gulls, and the man who sold coffee from a steel "
    "urn, but the man was gone and the coffee now came out of a machine that wanted exact "
    "change. She found a place by the window, put her grandmother's letter on her knees and "
    'read it again, although she knew it by heart. "The roof will last another year," it '
    'said, "but the well will not. Come before October, and bring boots."',
    "What the letter did not mention was the orchard. Her grandfather had planted forty trees "
    "on the slope behind the house, ten each of four old kinds, and for thirty years he had "
    "written down how much every tree bore. The notebooks filled a whole shelf. In dry years "
    "the russets did best, because their roots went deeper; after a wet spring there were "
    "hardly any pears. When he died, the figures stopped in the middle of a page, between the "
    "weight of a crate and the price that it had fetched at the market.",
    "Apples are easier to keep than most people think. They want a dark room with moist air, "
    "a few degrees above freezing, and they must not touch one another, since a single rotten "
    "fruit gives off a gas that ripens all of its neighbours. Wrapped in newspaper and laid "
    "on straw, a good winter variety will stay firm until April. The flavour even improves "
    "for the first two months, as starch slowly turns to sugar and the acid fades. Nobody on "
    "the island would have thought of buying apples before the end of March.",
    "The engine changed its tone, and the boat began to turn. Somebody's child asked why the "
    "water was two colours, and was told about the river that brings clay down from the "
    "hills. Marta folded the letter. From here the house could be seen for a moment, white "
    "above the rocks, with one shutter hanging loose and smoke coming straight up from the "
    "chimney, which could only mean that she was expected. She counted the trees as the slope "
    "came into view: thirty-one, thirty-two, and then the headland hid the rest of them from "
    "her.",
)

SAMPLE_TEXT = "\n\n".join(_PARAGRAPHS)
