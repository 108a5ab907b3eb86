"""Questions and answers: what a model can be asked, and what an answer says."""
