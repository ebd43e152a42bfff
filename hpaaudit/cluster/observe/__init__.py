"""What a recorder watches and polls, for how much, and how both follow the HPAs."""
