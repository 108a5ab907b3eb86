"""Small files that each reader takes."""

from __future__ import annotations

GOOD: dict[str, tuple[str, str]] = {
    "audit": (
        "audit.toml",
        '[[models]]\nref = "planted:gender=1"\n[[measurements]]\nmetric = "weat"\ntests = ["en/weat7"]\n',
    ),
    "stimuli": (
        "mine.toml",
        'schema = 1\n[meta]\nlanguage = "en"\ntitle = "t"\nsource = "s"\nlicence = "CC0"\n'
        '[lists.x]\nwords = ["cat", "dog"]\n',
    ),
    "grammar": (
        "xx.toml",
        'language = "xx"\n[words]\nanchor = ["am"]\n[forms.adjective]\nmasculine = ["-o"]\nfeminine = ["-a"]\n'
        '[[rules]]\nname = "r"\nanchor = ["anchor"]\nfind = ["adjective"]\nlook = ["right"]\n',
    ),
    "crows-pairs": (
        "pairs.csv",
        "sent_more,sent_less,stereo_antistereo,bias_type\nHe is.,She is.,stereo,gender\nA a.,B b.,antistereo,age\n",
    ),
    "gest": ("gest.csv", "sentence,stereotype\nI am tired.,1\nI like it.,2\n"),
    "scores": ("scores.csv", "sentence,joy\nHe is.,0.5\nShe is.,0.25\n"),
    "gender-variants": (
        "variants.csv",
        "stereotype,male,female\n1,On je.,Ona je.\n2,Som unavený.,Som unavená.\n",
    ),
    "json-lines": (
        "samples.jsonl",
        '{"sentence": "I am tired.", "stereotype": 1}\n{"sentence": "I like it.", "stereotype": "2"}\n',
    ),
    "translations": ("out.csv", "text,translation\nI am.,Som.\nHe is.,On je.\n"),
}
TABLES = tuple(name for name, (file, _) in GOOD.items() if file.endswith(".csv"))
TOML = tuple(name for name, (file, _) in GOOD.items() if file.endswith(".toml"))
