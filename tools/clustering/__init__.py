"""What Table 7 and the check at alpha 0 of attentive clustering are made of."""
