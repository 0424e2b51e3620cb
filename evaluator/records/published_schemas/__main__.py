from evaluator.records.published_schemas import write

for path in write():
    print(path.name)
