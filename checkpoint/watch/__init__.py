"""What gradients do and cost: progress, profiles, pictures."""
