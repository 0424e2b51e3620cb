from evaluator.schemas import write

for path in write():
    print(path.name)
