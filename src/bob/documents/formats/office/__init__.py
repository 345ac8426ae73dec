"""Word, Excel and PowerPoint."""
