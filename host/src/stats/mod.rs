//! Medians, means, intervals. Pure.
