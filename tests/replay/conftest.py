from console.conftest import own_home, stopped_clock

__all__ = ["own_home", "stopped_clock"]
