"""An embedded server that answers RCON as Paper 1.16.5 does, with bodies that act in it."""
