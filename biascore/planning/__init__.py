"""What a run will ask and cost, found by rehearsing it."""
