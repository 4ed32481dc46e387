-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- The compression functions of SHA-256 and SHA-512, one round per cycle, for one key in many calls.
--
-- Source: FIPS 180-4, 6.2.2 and 6.4.2; docs/spec/omd.md, section 2.
-- y = F'(h, k || m): with `start`, h and m are taken, while `ready`; 64 or 80 cycles later `ready` comes
-- again, with y beside it until the next start. In the cycle that shows y the next call can start, with
-- an h made of y: 65 and 81 cycles per call. k must not change from the cycle before.
-- clear: y becomes 0. rst: that, and every register is 0 then.
--
-- The sum h + K + W is made a round ahead, K and W two. W_0 .. W_7 are read where the key lies, and
-- W_8 .. W_15 from a copy of m that moves down by a word, so that the window of W has no load.
-- After its last round the state stays as it is until the next start: y = h + state.
--
-- G_INTERLEAVE = 4: four calls at once, each in every fourth cycle; all ports speak of the call whose
-- cycle it is. The round has a register after each of its additions then.
-- Limits: h is kept, for the feed-forward, from the first round on: nothing can be had before `ready`.

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.omd_pkg.all;

entity sha2_core is
  generic (
    G_WORD : positive := 64;                              -- 32: SHA-256; 64: SHA-512
    G_INTERLEAVE : positive := 1                          -- 1 or 4
  );
  port (
    clk, rst : in std_logic;
    start, clear : in std_logic;
    ready : out std_logic;
    k, h, m : in slv(8 * G_WORD - 1 downto 0);
    y : out slv(8 * G_WORD - 1 downto 0)
  );
end entity;

architecture rtl of sha2_core is
  constant LANES : positive := G_INTERLEAVE;
  constant ROUNDS : positive := 48 + G_WORD / 2;

  subtype word is unsigned(G_WORD - 1 downto 0);
  type octet is array (0 to 7) of word;
  type window is array (0 to 15) of word;

  function rotations (of_256, of_512 : natural) return natural is
  begin
    if G_WORD = 32 then
      return of_256;
    end if;
    return of_512;
  end function;

  function Sigma_0 (x : word) return word is
  begin
    return rotate_right(x, rotations(2, 28)) xor rotate_right(x, rotations(13, 34)) xor rotate_right(x, rotations(22, 39));
  end function;
  function Sigma_1 (x : word) return word is
  begin
    return rotate_right(x, rotations(6, 14)) xor rotate_right(x, rotations(11, 18)) xor rotate_right(x, rotations(25, 41));
  end function;
  function lesser_0 (x : word) return word is
  begin
    return rotate_right(x, rotations(7, 1)) xor rotate_right(x, rotations(18, 8)) xor shift_right(x, rotations(3, 7));
  end function;
  function lesser_1 (x : word) return word is
  begin
    return rotate_right(x, rotations(17, 19)) xor rotate_right(x, rotations(19, 61)) xor shift_right(x, rotations(10, 6));
  end function;

  function split (x : slv) return octet is
    alias a : slv(8 * G_WORD - 1 downto 0) is x;
    variable its_words : octet;
  begin
    for j in 0 to 7 loop
      its_words(j) := unsigned(a((8 - j) * G_WORD - 1 downto (7 - j) * G_WORD));
    end loop;
    return its_words;
  end function;

  function joined (x : octet) return slv is
    variable text : slv(8 * G_WORD - 1 downto 0);
  begin
    for j in 0 to 7 loop
      text((8 - j) * G_WORD - 1 downto (7 - j) * G_WORD) := slv(x(j));
    end loop;
    return text;
  end function;

  -- The state of a call, with the sums that are on their way.
  type state is record
    v : octet;                                            -- a to h
    w : window;                                           -- w(0) = W_(t+1), w(15) = W_(t-14)
    hkw, kr : word;                                       -- h + K_t + W_t; K_(t+1)
    p, q, s, u : word;
  end record;
  constant NOTHING : state := (v => (others => (others => '0')), w => (others => (others => '0')),
                               others => (others => '0'));

  -- A round in four pieces, of at most two sums in a row each. Each makes a record as a whole.
  function piece_1 (x : state) return state is
  begin
    return (v => x.v, w => x.w, hkw => x.hkw, kr => x.kr,
            p => Sigma_1(x.v(4)) + ((x.v(4) and x.v(5)) xor (not x.v(4) and x.v(6))),
            q => Sigma_0(x.v(0)) + ((x.v(0) and x.v(1)) xor (x.v(0) and x.v(2)) xor (x.v(1) and x.v(2))),
            s => lesser_1(x.w(1)) + x.w(6),
            u => lesser_0(x.w(14)) + x.w(15));
  end function;

  -- p = T1
  function piece_2 (x : state) return state is
  begin
    return (v => x.v, w => x.w, hkw => x.hkw, kr => x.kr, p => x.hkw + x.p, q => x.q, s => x.s + x.u, u => x.kr + x.w(0));
  end function;

  function piece_3 (x : state) return state is
  begin
    return (v => x.v, w => x.w, hkw => x.hkw, kr => x.kr, p => x.v(3) + x.p, q => x.p + x.q, s => x.s, u => x.u);
  end function;

  -- What the next round begins with; without `runs`, v as it is, and perhaps a first round with this word of h.
  function piece_4 (x : state; h7 : word; runs, own : std_logic; source, constant_k : word) return state is
    variable v : octet := x.v;
    variable next_h : word := h7;
    variable next_w : word := x.s;
  begin
    if runs = '1' then
      v := (x.q, x.v(0), x.v(1), x.v(2), x.p, x.v(4), x.v(5), x.v(6));
      next_h := x.v(6);
    end if;
    if own = '1' then
      next_w := source;
    end if;
    return (v => v,
            w => (next_w, x.w(0), x.w(1), x.w(2), x.w(3), x.w(4), x.w(5), x.w(6), x.w(7), x.w(8), x.w(9), x.w(10), x.w(11),
                  x.w(12), x.w(13), x.w(14)),
            hkw => next_h + x.u, kr => constant_k, p => x.p, q => x.q, s => x.s, u => x.u);
  end function;

  -- v, or what a start or `clear` makes of it. Both come late: so what a register takes is chosen by `runs`, and 0 last.
  function entered (was, v, of_h : octet; runs, starts, clears : std_logic) return octet is
    variable next_v : octet := of_h;
  begin
    if runs = '1' then
      next_v := v;
    end if;
    if starts = '0' and runs = '0' then
      next_v := was;
    end if;
    if clears = '1' and starts = '0' then
      next_v := NOTHING.v;
    end if;
    return next_v;
  end function;

  function K_of (t : unsigned(6 downto 0)) return word is
    variable x : unsigned(63 downto 0) := (others => '0');
  begin
    if t < ROUNDS then
      x := SHA2_K(to_integer(t));
    end if;
    return x(63 downto 64 - G_WORD);
  end function;

  -- Each register of control is as many in a row as there are LANES: index 0 is what it will be, index LANES what it is.
  type octets is array (0 to LANES) of octet;
  type counts is array (0 to LANES) of unsigned(6 downto 0);
  signal hs, ms : octets := (others => (others => (others => '0')));
  signal n, made : counts := (others => (others => '0')); -- the W after next, and which is made
  signal run, was, begun : slv(0 to LANES) := (others => '0');
  signal x1, x2, x3, x4, x : state := NOTHING;
  signal first_h7 : word;
  signal sum, entry : octet;                              -- entry, cleared: of a start or clear, a cycle later
  signal cleared : std_logic;
begin
  assert LANES = 1 or LANES = 4 report "sha2_core: G_INTERLEAVE is 1 or 4" severity failure;

  ready <= not run(LANES);
  y <= joined(sum);

  feed_forward : process (all)
  begin
    for j in 0 to 7 loop
      sum(j) <= hs(LANES)(j) + x.v(j);
    end loop;
  end process;

  control : process (all)
  begin
    run(0) <= run(LANES);
    hs(0) <= hs(LANES);
    ms(0) <= ms(LANES);
    if made(LANES) = 0 then                               -- for the next call
      run(0) <= '0';
    end if;
    n(0) <= n(LANES) + 1;
    made(0) <= n(LANES);
    if n(LANES) = 0 or n(LANES) = ROUNDS - 1 then
      n(0) <= (others => '0');
    end if;
    if n(LANES)(6 downto 3) = 1 then
      ms(0) <= ms(LANES)(1 to 7) & ms(LANES)(0);
    end if;
    if run(LANES) = '0' then
      ms(0) <= split(m);
    end if;
    if start = '1' then
      run(0) <= '1';
      n(0) <= to_unsigned(2, 7);
      made(0) <= to_unsigned(1, 7);
    end if;
    if clear = '1' then
      hs(0) <= (others => (others => '0'));
    elsif begun(LANES) = '1' then
      hs(0) <= x.v;
    end if;
  end process;
  was(0) <= run(LANES);
  begun(0) <= start;

  last_piece : process (all)
    variable number : unsigned(6 downto 0);               -- of the W that is made
    variable source, constant_k : word;
    variable own : std_logic;
    variable keys : octet;
  begin
    number := made(LANES - 1);
    if LANES = 1 then
      number := n(LANES);
    end if;
    keys := split(k);
    source := keys(to_integer(number(2 downto 0)));
    if number(3) = '1' then
      source := ms(LANES - 1)(7);
    end if;
    own := '0';
    if number(6 downto 4) = 0 then
      own := '1';
    end if;
    constant_k := K_of(number);
    if LANES = 1 and start = '1' then                     -- number = 1; a start comes late
      source := keys(1);
      own := '1';
      constant_k := K_of("0000001");
    end if;
    x4 <= piece_4(x3, first_h7, was(LANES - 1), own, source, constant_k);
  end process;

  one : if LANES = 1 generate
    x3 <= piece_3(piece_2(piece_1(x)));
    first_h7 <= split(h)(7);
  end generate;

  registers : process (clk)
  begin
    if rising_edge(clk) then
      hs(1 to LANES) <= hs(0 to LANES - 1);
      ms(1 to LANES) <= ms(0 to LANES - 1);
      n(1 to LANES) <= n(0 to LANES - 1);
      made(1 to LANES) <= made(0 to LANES - 1);
      run(1 to LANES) <= run(0 to LANES - 1);
      was(1 to LANES) <= was(0 to LANES - 1);
      begun(1 to LANES) <= begun(0 to LANES - 1);
      x <= x4;
      if LANES = 1 then
        x.v <= entered(x.v, x4.v, split(h), run(LANES), start, clear);
      end if;
      if rst = '1' then
        hs(1 to LANES) <= (others => (others => (others => '0')));
        ms(1 to LANES) <= (others => (others => (others => '0')));
        n(1 to LANES) <= (others => (others => '0'));
        made(1 to LANES) <= (others => (others => '0'));
        run(1 to LANES) <= (others => '0');
        was(1 to LANES) <= (others => '0');
        begun(1 to LANES) <= (others => '0');
        x <= NOTHING;
      end if;
    end if;
  end process;

  four : if LANES = 4 generate
    first_h7 <= x3.v(7);
    pieces : process (clk)
    begin
      if rising_edge(clk) then
        x1 <= piece_1(x);
        entry <= split(h);
        x2 <= piece_2(x1);
        if begun(1) = '1' then
          x2.v <= entry;
        end if;
        if cleared = '1' and begun(1) = '0' then
          x2.v <= NOTHING.v;
        end if;
        cleared <= clear;
        x3 <= piece_3(x2);
        if rst = '1' then
          entry <= NOTHING.v;
          cleared <= '0';
          x1 <= NOTHING;
          x2 <= NOTHING;
          x3 <= NOTHING;
        end if;
      end if;
    end process;
  end generate;
end architecture;
