"""The isolation of a model: namespaces, a root of its own, Landlock and seccomp.

A small script, the `launcher`, puts a process behind these layers before the interpreter of the model starts.
Which layers work on a host is found out once, by `probing` them with the very code that applies them.
The standard library is all that is used here, so that the launcher starts in milliseconds.
"""
