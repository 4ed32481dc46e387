-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- The registers of omd_link: addresses, bits and counters. Written by research/hw/regs.py from research/hw/regs.toml.

library ieee;
use ieee.std_logic_1164.all;

package omd_link_regs is
  constant ADDRESS_BITS : positive := 12;

  constant AT_MAGIC : natural := 16#000#;
  constant AT_VERSION : natural := 16#004#;
  constant AT_CAPABILITIES : natural := 16#008#;
  constant CAPABILITIES_SUITE_HIGH : natural := 7;
  constant CAPABILITIES_SUITE_LOW : natural := 0;
  constant CAPABILITIES_BLOCK_BYTES_HIGH : natural := 15;
  constant CAPABILITIES_BLOCK_BYTES_LOW : natural := 8;
  constant CAPABILITIES_STREAM_BYTES_HIGH : natural := 23;
  constant CAPABILITIES_STREAM_BYTES_LOW : natural := 16;
  constant CAPABILITIES_WINDOW_HIGH : natural := 31;
  constant CAPABILITIES_WINDOW_LOW : natural := 24;
  constant AT_FRAME_LIMITS : natural := 16#00C#;
  constant FRAME_LIMITS_MAX_FRAME_HIGH : natural := 15;
  constant FRAME_LIMITS_MAX_FRAME_LOW : natural := 0;
  constant FRAME_LIMITS_MIN_FRAME_HIGH : natural := 31;
  constant FRAME_LIMITS_MIN_FRAME_LOW : natural := 16;
  constant AT_CONTROL : natural := 16#010#;
  constant CONTROL_DERIVE : natural := 0;
  constant CONTROL_ENABLE : natural := 1;
  constant CONTROL_ZEROISE : natural := 2;
  constant CONTROL_STOP : natural := 3;
  constant AT_STATUS : natural := 16#014#;
  constant STATUS_BUSY : natural := 0;
  constant STATUS_HAS_MASTER : natural := 1;
  constant STATUS_DERIVED : natural := 2;
  constant STATUS_ENABLED : natural := 3;
  constant STATUS_EXHAUSTED : natural := 4;
  constant STATUS_REKEY_DUE : natural := 5;
  constant STATUS_NO_OWN_EPOCH : natural := 6;
  constant STATUS_NO_PEER_EPOCH : natural := 7;
  constant AT_IRQ_STATUS : natural := 16#018#;
  constant IRQ_STATUS_DERIVED : natural := 0;
  constant IRQ_STATUS_REFUSED : natural := 1;
  constant IRQ_STATUS_REKEY_DUE : natural := 2;
  constant IRQ_STATUS_EXHAUSTED : natural := 3;
  constant IRQ_STATUS_FORGED : natural := 4;
  constant IRQ_STATUS_ERASED : natural := 5;
  constant AT_IRQ_ENABLE : natural := 16#01C#;
  constant AT_ROLE : natural := 16#020#;
  constant AT_SESSION : natural := 16#024#;
  constant AT_REKEY_LIMIT : natural := 16#028#;
  constant BYTES_OF_REKEY_LIMIT : positive := 8;
  constant AT_COUNTER : natural := 16#030#;
  constant BYTES_OF_COUNTER : positive := 8;
  constant AT_MASTER_KEY : natural := 16#040#;
  constant BYTES_OF_MASTER_KEY : positive := 64;
  constant AT_OWN_IDENTIFIER : natural := 16#080#;
  constant BYTES_OF_OWN_IDENTIFIER : positive := 24;
  constant AT_PEER_IDENTIFIER : natural := 16#0A0#;
  constant BYTES_OF_PEER_IDENTIFIER : positive := 24;
  constant AT_PEER_CONFIRMATION : natural := 16#0C0#;
  constant BYTES_OF_PEER_CONFIRMATION : positive := 16;
  constant AT_OWN_CONFIRMATION : natural := 16#0D0#;
  constant BYTES_OF_OWN_CONFIRMATION : positive := 16;
  constant AT_DESTINATION : natural := 16#0E0#;
  constant BYTES_OF_DESTINATION : positive := 6;
  constant AT_SOURCE : natural := 16#0E8#;
  constant BYTES_OF_SOURCE : positive := 6;

  constant AT_COUNTERS : natural := 16#100#;
  constant COUNTERS : positive := 23;
  constant COUNT_SEALED : natural := 0;
  constant COUNT_PLAIN_HOLED : natural := 1;
  constant COUNT_PLAIN_ERRORED : natural := 2;
  constant COUNT_PLAIN_OVERSIZE : natural := 3;
  constant COUNT_PLAIN_SHORT : natural := 4;
  constant COUNT_PLAIN_OVERFLOW : natural := 5;
  constant COUNT_PLAIN_NO_SESSION : natural := 6;
  constant COUNT_OPENED : natural := 7;
  constant COUNT_HOLED : natural := 8;
  constant COUNT_ERRORED : natural := 9;
  constant COUNT_OVERSIZE : natural := 10;
  constant COUNT_SHORT : natural := 11;
  constant COUNT_OVERFLOW : natural := 12;
  constant COUNT_NO_SESSION : natural := 13;
  constant COUNT_TYPE : natural := 14;
  constant COUNT_VERSION : natural := 15;
  constant COUNT_SUITE : natural := 16;
  constant COUNT_RESERVED : natural := 17;
  constant COUNT_DIRECTION : natural := 18;
  constant COUNT_SESSION : natural := 19;
  constant COUNT_TOO_OLD : natural := 20;
  constant COUNT_REPLAYED : natural := 21;
  constant COUNT_TAG : natural := 22;

  -- Of each counter 8 bits in Gray code, in the clock domain of what it counts.
  subtype event_count_t is std_logic_vector(7 downto 0);
  type event_counts is array (natural range <>) of event_count_t;
end package;
