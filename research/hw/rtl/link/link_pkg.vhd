-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- What the entities of omd_link share: sizes of the packet format (research/hw/docs/packet-format.md), lengths, Gray code.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;

package link_pkg is
  constant HEADER_BYTES : positive := 30;
  constant TAG_BYTES : positive := 32;
  constant OVERHEAD : positive := HEADER_BYTES + TAG_BYTES;
  constant PACKET_TYPE : slv(15 downto 0) := x"88B5";
  constant PACKET_VERSION : slv(7 downto 0) := x"02";
  subtype length_t is unsigned(15 downto 0);              -- of a frame or packet, in bytes

  -- Bits that count from 0 to n - 1.
  function log2 (n : positive) return natural;
  function nonce_bytes (n : positive) return positive;
  -- tkeep of so many bytes, at most n.
  function kept (bytes : unsigned; n : positive) return slv;
  function least (x : length_t; n : positive) return length_t;

  function gray_of (x : unsigned) return slv;
  function number_of (gray : slv) return unsigned;
end package;

package body link_pkg is
  function log2 (n : positive) return natural is
    variable bits : natural := 0;
  begin
    while 2 ** bits < n loop
      bits := bits + 1;
    end loop;
    return bits;
  end function;

  function nonce_bytes (n : positive) return positive is
  begin
    if n = 32 then
      return 31;
    end if;
    return 32;
  end function;

  function kept (bytes : unsigned; n : positive) return slv is
    variable keep : slv(n - 1 downto 0);
  begin
    for i in 0 to n - 1 loop
      keep(i) := '0';
      if bytes > i then
        keep(i) := '1';
      end if;
    end loop;
    return keep;
  end function;

  function least (x : length_t; n : positive) return length_t is
  begin
    if x < n then
      return x;
    end if;
    return to_unsigned(n, length_t'length);
  end function;

  function gray_of (x : unsigned) return slv is
  begin
    return slv(x xor shift_right(x, 1));
  end function;

  function number_of (gray : slv) return unsigned is
    constant w : positive := gray'length;
    alias g : slv(w - 1 downto 0) is gray;
    variable x : unsigned(w - 1 downto 0);
    variable parity : std_logic := '0';
  begin
    for i in w - 1 downto 0 loop
      parity := parity xor g(i);
      x(i) := parity;
    end loop;
    return x;
  end function;
end package body;
