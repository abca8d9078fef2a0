"""What a guest is told, in five languages: texts as data, a composer, and a linter of both."""
