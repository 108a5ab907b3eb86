"""``hf:`` opens Hugging Face models: from the hub's cache, a local folder, or an installed Python package.

Importing this package imports neither torch nor transformers; ``HfAdapter.load`` does.
"""

import os

# The hub's client tells with what it is used, unless this is set before it is imported.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
