"""The pure steps that are mapped over systems, one a module.

Each names all of its inputs, so that its result can be cached; what its module imports is part of the key.
"""
