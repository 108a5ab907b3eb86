"""``onnx:`` opens exported models from a folder and runs them on onnxruntime, without torch.

Importing this package imports neither onnxruntime nor transformers; ``OnnxAdapter.load`` does.
"""

import os

# onnxruntime reports to its makers what it runs, unless this is set before it is imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
