"""The first hour on a project: questions that only Google can answer, asked of it one after the other."""
