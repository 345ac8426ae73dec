"""The command line: one module a command, and no logic beyond reading flags and printing results."""
