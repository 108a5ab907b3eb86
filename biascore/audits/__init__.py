"""Audits: what a file asks for, the audit of a model without a file, gates and scenarios."""
