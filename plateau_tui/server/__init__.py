"""The only code that talks to Minecraft: transport, typed questions, reply parsers."""
