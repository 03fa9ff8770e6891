"""What all tests share: a property is never refuted by the clock of a busy machine."""

from hypothesis import settings

settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")
