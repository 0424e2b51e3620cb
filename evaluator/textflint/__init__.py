"""TextFlint 0.1.0 as a second backend of the robustness suites, in its own environment and process.

The rest of the house does not know it: the command line hands `transformations` to `evaluator.data.suites`.
"""
