"""New plugins from templates: a package for each kind of extension, complete with tests."""
