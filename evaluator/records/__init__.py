"""What a result and a set of predictions *are*: their fields, their units, their hash, their history.

Every file in ``results/`` is one of these records as JSON. A record carries ``schema_version``; an
older file is brought up to date by `migrate`, one step a version. JSON Schemas generated from these
classes lie in ``evaluator/records/published_schemas/`` and a test holds the two together.
"""
