"""Reports on a recording: what is in it, what is damaged, what a hash proves."""
