"""Language models behind one protocol: OpenAI and what speaks like it, Anthropic, Gemini, a scripted one."""
