"""Turns files of many formats into sections with locators."""
