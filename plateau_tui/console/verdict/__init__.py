"""The verdict, its questions and its lines."""
