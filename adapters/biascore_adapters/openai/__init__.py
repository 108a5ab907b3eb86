"""``openai:`` asks a chat model behind any server of the OpenAI API: OpenAI's own, vLLM, llama.cpp, Ollama, a gateway.

Importing this package does not import the openai package.
"""
