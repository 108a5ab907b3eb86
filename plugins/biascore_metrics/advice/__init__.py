"""Advice: does the number that a model advises depend on whose name stands in the prompt?"""
