"""Answers to requests: with torch by captures, without it by estimates."""
