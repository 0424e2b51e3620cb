"""What a result and a set of predictions *are*: their fields, their units, their hash.

Every file in ``results/`` is one of these records as JSON. A record carries ``schema_version``; a file of
another version is refused with what to do about it. JSON Schemas generated from these classes lie in
``evaluator/records/schemas/`` and a test holds the two together.
"""
