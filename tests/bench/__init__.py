"""Speed and size, measured as ratios side by side in one run."""
