-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- What the cores share: strings of bytes, doubling and its inverse, padding, constants.
--
-- Source: docs/spec/omd.md, sections 1 to 3; FIPS 180-4, 4.2; RFC 7693, 2.7.
-- A string is a vector whose first byte is its highest: byte 0 of n is bits 8n - 1 downto 8n - 8.
-- An AXI4-Stream has its first byte lowest: `bytes_reversed` is the wiring between both.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

package omd_pkg is
  subtype slv is std_logic_vector;

  -- Of a hash: bytes of a chaining value, and cycles of a call without the hand-over.
  function bytes_of (hash : string) return positive;
  function steps_of (hash : string; half_rounds : boolean := false) return positive;

  function bytes_reversed (x : slv) return slv;
  function bits_reversed (x : slv) return slv;

  -- 2X and X / 2. (8n = 256 or 512)
  function double (x : slv) return slv;
  function halve (x : slv) return slv;

  -- The bytes that keep marks, then 80 where mark is set, then zeros.
  function pad10 (x, keep : slv; mark : std_logic) return slv;
  function masked (x, keep : slv) return slv;

  type words is array (natural range <>) of unsigned(63 downto 0);
  type indices is array (natural range <>) of natural range 0 to 15;
  type sigma_rows is array (0 to 9) of indices(0 to 15);

  -- SHA-256's are the upper halves of the first 64 of SHA-512's.
  constant SHA2_K : words(0 to 79) := (
    x"428a2f98d728ae22", x"7137449123ef65cd", x"b5c0fbcfec4d3b2f", x"e9b5dba58189dbbc",
    x"3956c25bf348b538", x"59f111f1b605d019", x"923f82a4af194f9b", x"ab1c5ed5da6d8118",
    x"d807aa98a3030242", x"12835b0145706fbe", x"243185be4ee4b28c", x"550c7dc3d5ffb4e2",
    x"72be5d74f27b896f", x"80deb1fe3b1696b1", x"9bdc06a725c71235", x"c19bf174cf692694",
    x"e49b69c19ef14ad2", x"efbe4786384f25e3", x"0fc19dc68b8cd5b5", x"240ca1cc77ac9c65",
    x"2de92c6f592b0275", x"4a7484aa6ea6e483", x"5cb0a9dcbd41fbd4", x"76f988da831153b5",
    x"983e5152ee66dfab", x"a831c66d2db43210", x"b00327c898fb213f", x"bf597fc7beef0ee4",
    x"c6e00bf33da88fc2", x"d5a79147930aa725", x"06ca6351e003826f", x"142929670a0e6e70",
    x"27b70a8546d22ffc", x"2e1b21385c26c926", x"4d2c6dfc5ac42aed", x"53380d139d95b3df",
    x"650a73548baf63de", x"766a0abb3c77b2a8", x"81c2c92e47edaee6", x"92722c851482353b",
    x"a2bfe8a14cf10364", x"a81a664bbc423001", x"c24b8b70d0f89791", x"c76c51a30654be30",
    x"d192e819d6ef5218", x"d69906245565a910", x"f40e35855771202a", x"106aa07032bbd1b8",
    x"19a4c116b8d2d0c8", x"1e376c085141ab53", x"2748774cdf8eeb99", x"34b0bcb5e19b48a8",
    x"391c0cb3c5c95a63", x"4ed8aa4ae3418acb", x"5b9cca4f7763e373", x"682e6ff3d6b2b8a3",
    x"748f82ee5defb2fc", x"78a5636f43172f60", x"84c87814a1f0ab72", x"8cc702081a6439ec",
    x"90befffa23631e28", x"a4506cebde82bde9", x"bef9a3f7b2c67915", x"c67178f2e372532b",
    x"ca273eceea26619c", x"d186b8c721c0c207", x"eada7dd6cde0eb1e", x"f57d4f7fee6ed178",
    x"06f067aa72176fba", x"0a637dc5a2c898a6", x"113f9804bef90dae", x"1b710b35131c471b",
    x"28db77f523047d84", x"32caab7b40c72493", x"3c9ebe0a15c9bebc", x"431d67c49c100d4c",
    x"4cc5d4becb3e42b6", x"597f299cfc657e2a", x"5fcb6fab3ad6faec", x"6c44198c4a475817");

  constant BLAKE2B_IV : words(0 to 7) := (
    x"6a09e667f3bcc908", x"bb67ae8584caa73b", x"3c6ef372fe94f82b", x"a54ff53a5f1d36f1",
    x"510e527fade682d1", x"9b05688c2b3e6c1f", x"1f83d9abfb41bd6b", x"5be0cd19137e2179");

  constant BLAKE2B_SIGMA : sigma_rows := (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    (14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    (11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
    (7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
    (9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
    (2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
    (12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
    (13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
    (6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
    (10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0));
end package;

package body omd_pkg is
  function bytes_of (hash : string) return positive is
  begin
    if hash = "sha256" then
      return 32;
    end if;
    return 64;
  end function;

  function steps_of (hash : string; half_rounds : boolean := false) return positive is
  begin
    if hash = "sha256" then
      return 64;
    elsif hash = "sha512" then
      return 80;
    elsif half_rounds then
      return 24;
    end if;
    return 12;
  end function;

  function bytes_reversed (x : slv) return slv is
    constant n : natural := x'length / 8;
    alias a : slv(8 * n - 1 downto 0) is x;
    variable y : slv(8 * n - 1 downto 0);
  begin
    for i in 0 to n - 1 loop
      y(8 * i + 7 downto 8 * i) := a(8 * (n - i) - 1 downto 8 * (n - i) - 8);
    end loop;
    return y;
  end function;

  function bits_reversed (x : slv) return slv is
    constant n : natural := x'length;
    alias a : slv(n - 1 downto 0) is x;
    variable y : slv(n - 1 downto 0);
  begin
    for i in 0 to n - 1 loop
      y(i) := a(n - 1 - i);
    end loop;
    return y;
  end function;

  -- Without its highest power.
  function polynomial (width : natural) return slv is
    constant OF_256 : slv(255 downto 0) := (10 | 5 | 2 | 0 => '1', others => '0');
    constant OF_512 : slv(511 downto 0) := (8 | 5 | 2 | 0 => '1', others => '0');
  begin
    if width = 256 then
      return OF_256;
    end if;
    return OF_512;
  end function;

  function double (x : slv) return slv is
    constant w : natural := x'length;
    alias a : slv(w - 1 downto 0) is x;
    variable y : slv(w - 1 downto 0);
  begin
    y := a(w - 2 downto 0) & '0';
    if a(w - 1) = '1' then
      y := y xor polynomial(w);
    end if;
    return y;
  end function;

  function halve (x : slv) return slv is
    constant w : natural := x'length;
    variable y : slv(w - 1 downto 0) := x;
    constant lowest : std_logic := y(0);
  begin
    if lowest = '1' then
      y := y xor polynomial(w);
    end if;
    return lowest & y(w - 1 downto 1);
  end function;

  function masked (x, keep : slv) return slv is
    constant n : natural := keep'length;
    alias a : slv(8 * n - 1 downto 0) is x;
    alias k : slv(n - 1 downto 0) is keep;
    variable y : slv(8 * n - 1 downto 0);
  begin
    for i in 0 to n - 1 loop
      for j in 8 * i to 8 * i + 7 loop
        y(j) := a(j) and k(i);
      end loop;
    end loop;
    return y;
  end function;

  function pad10 (x, keep : slv; mark : std_logic) return slv is
    constant n : natural := keep'length;
    alias a : slv(8 * n - 1 downto 0) is x;
    alias k : slv(n - 1 downto 0) is keep;
    constant ends : slv(n - 1 downto 0) := ('1' & k(n - 1 downto 1)) and not k and (n - 1 downto 0 => mark);
    variable y : slv(8 * n - 1 downto 0);
  begin
    for i in 0 to n - 1 loop
      y(8 * i + 7 downto 8 * i) := (a(8 * i + 7 downto 8 * i) and (7 downto 0 => k(i))) or (ends(i) & "0000000");
    end loop;
    return y;
  end function;
end package body;
