"""What every other room stands on: frozen values, wording, progress, and the guard around the code of plugins."""
