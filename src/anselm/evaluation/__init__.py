"""Metrics, significance and calibration: pure functions of labels and scores."""
