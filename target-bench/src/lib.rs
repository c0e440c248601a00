#![no_std]
use oqs as _;
