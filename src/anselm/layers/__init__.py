"""What two or more models share. Needs torch."""
