//! Plans: what to measure, and how often.
