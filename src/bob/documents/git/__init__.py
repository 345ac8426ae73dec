"""Documents in git repositories, each as a commit has it."""
