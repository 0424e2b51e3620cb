"""The command line of lighteval without a network.

Tasks that are not run here ask the hub which models judge, and fetch a file, as soon as they are listed;
huggingface_hub 2 has also renamed an argument that they give.
"""

from types import SimpleNamespace

import huggingface_hub
import requests

huggingface_hub.HfApi.list_models = lambda *_, **__: [SimpleNamespace(id="none")]
requests.get = lambda *_, **__: SimpleNamespace(status_code=404)

if __name__ == "__main__":
    from lighteval.__main__ import app

    app()
