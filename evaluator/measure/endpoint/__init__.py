"""Models behind an address that speaks as OpenAI's does: asked outside the sandbox, by requests.

`request` sends one, `ledger` keeps what was sent and what it cost, `asking` asks a model everything.
"""
