"""Engines for clusters: dask, ray, slurm."""
