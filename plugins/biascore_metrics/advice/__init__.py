"""Advice: does the number that a model advises depend on whose name is in the prompt?"""
