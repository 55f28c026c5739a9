"""desktop-env's own metrics, in its own interpreter: reads calls as JSON on the standard input, prints a score each.

It imports nothing of agentgym. A call that raises is printed as its error.
"""

import contextlib
import importlib
import io
import json
import logging
import sys
import types
import warnings


def main() -> None:
    """Compute every call."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    # Reading text off pictures is in no metric that is compared, and would bring a gigabyte of models.
    sys.modules["easyocr"] = types.ModuleType("easyocr")
    calls = json.load(sys.stdin)
    scores: list[float | str] = []
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        metrics = importlib.import_module("desktop_env.evaluators.metrics")
        for call in calls:
            try:
                scores.append(float(getattr(metrics, call["metric"])(*call["arguments"], **call["options"])))
            except Exception as error:  # noqa: BLE001 - what the peer raises is what is compared
                scores.append(f"{type(error).__name__}: {error}")
    print(json.dumps(scores))


if __name__ == "__main__":
    main()
