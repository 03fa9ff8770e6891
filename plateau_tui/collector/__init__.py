"""Slots, one lock-step cycle, the loop, first poll, mailbox."""
