"""What models are built on; no paper is here."""
