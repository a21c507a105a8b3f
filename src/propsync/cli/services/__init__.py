"""The commands that run until somebody interrupts them."""
