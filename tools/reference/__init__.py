"""The pages of docs/reference/, each made from the code by a module of its own."""
