//! Known answers, callable.
