"""The counting loops, compiled by numba; imported only by what runs them, never by `import clirbench`.

Text comes in as UTF-32 code points: `codes[offsets[i]:offsets[i + 1]]` are the characters of line i.
"""
