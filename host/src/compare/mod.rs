//! Ratios and same-work checks between rows. Pure.
